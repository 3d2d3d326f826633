// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Bounds of an idempotency record, in bytes.
const (
	// MaxAnswerData bounds the data of a stored answer.
	MaxAnswerData = 256 << 10
	// MaxAnswerMeta bounds the meta of a stored answer.
	MaxAnswerMeta = 64 << 10
)

// ReservedObject is what a request is going to create. It is written down before the creation, so that a second try after
// a crash creates, or finds, the very same object.
type ReservedObject struct {
	// ID in the object's number space; 0 for an object that has none of its own.
	// +optional
	// +kubebuilder:validation:Minimum=0
	ID int64 `json:"id,omitempty"`
	// Name of the object, in the record's namespace.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
}

// IdempotencyRecordSpec is a request that was accepted, and who works on it.
// +kubebuilder:validation:XValidation:rule="self.scopeHash == oldSelf.scopeHash && self.operation == oldSelf.operation && self.keyUID == oldSelf.keyUID",message="scopeHash, operation and keyUID cannot be changed: they say whose record this is"
type IdempotencyRecordSpec struct {
	// ScopeHash is the SHA-256 over API key, method, path and idempotency key, 64 hexadecimal digits. The idempotency key
	// itself is stored nowhere.
	// +kubebuilder:validation:Pattern=`^[0-9a-f]{64}$`
	ScopeHash string `json:"scopeHash"`
	// Operation that was asked for: method and path.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=2048
	Operation string `json:"operation"`
	// KeyUID is the uid of the API key that asked.
	// +kubebuilder:validation:MaxLength=64
	KeyUID string `json:"keyUID"`
	// Brand that it was asked for, by name.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Brand string `json:"brand,omitempty"`
	// Fingerprint is the SHA-256 of the body and the brand, 64 hexadecimal digits.
	// +kubebuilder:validation:Pattern=`^[0-9a-f]{64}$`
	Fingerprint string `json:"fingerprint"`
	// Holder is the process that works on the request: the replica's name and a number of that very process.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=320
	Holder string `json:"holder"`
	// HeldSince is when the holder took the request up.
	HeldSince metav1.MicroTime `json:"heldSince"`
	// Reserved is what the request creates.
	// +optional
	Reserved *ReservedObject `json:"reserved,omitempty"`
	// ExpiresAt ends the record: it is removed, and the idempotency key is free again.
	ExpiresAt metav1.Time `json:"expiresAt"`
}

// IdempotencyRecordStatus is the answer. It is written once.
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.answeredAt) || self == oldSelf",message="an answer cannot be changed"
type IdempotencyRecordStatus struct {
	// AnsweredAt is when the answer was stored; absent while there is none.
	// +optional
	AnsweredAt *metav1.MicroTime `json:"answeredAt,omitempty"`
	// AnsweredBy is the process that stored the answer, named like a holder.
	// +optional
	// +kubebuilder:validation:MaxLength=320
	AnsweredBy string `json:"answeredBy,omitempty"`
	// HTTPStatus of the answer.
	// +optional
	// +kubebuilder:validation:Minimum=200
	// +kubebuilder:validation:Maximum=299
	HTTPStatus int32 `json:"httpStatus,omitempty"`
	// Data of the answer, as JSON.
	// +optional
	// +kubebuilder:validation:MaxLength=262144
	Data string `json:"data,omitempty"`
	// Meta of the answer, as JSON.
	// +optional
	// +kubebuilder:validation:MaxLength=65536
	Meta string `json:"meta,omitempty"`
	// RetryAfterSeconds that the answer told to wait; 0 for none.
	// +optional
	// +kubebuilder:validation:Minimum=0
	RetryAfterSeconds int32 `json:"retryAfterSeconds,omitempty"`
}

// IdempotencyRecord remembers the answer to a request that carried an idempotency key, so that the same request sent again
// gets the same answer and does nothing twice. The front end makes it; nobody needs to write one by hand.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:categories=reelops,shortName={idem,rlidem}
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.status) || !has(oldSelf.status.answeredAt) || self.spec == oldSelf.spec",message="an answered request cannot be changed"
// +kubebuilder:selectablefield:JSONPath=`.spec.brand`
// +kubebuilder:printcolumn:name="Operation",type=string,JSONPath=`.spec.operation`
// +kubebuilder:printcolumn:name="Object",type=string,JSONPath=`.spec.reserved.name`
// +kubebuilder:printcolumn:name="Answer",type=integer,JSONPath=`.status.httpStatus`
// +kubebuilder:printcolumn:name="Expires",type=string,JSONPath=`.spec.expiresAt`
// +kubebuilder:printcolumn:name="Brand",type=string,JSONPath=`.spec.brand`,priority=1
// +kubebuilder:printcolumn:name="Holder",type=string,JSONPath=`.spec.holder`,priority=1
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type IdempotencyRecord struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   IdempotencyRecordSpec   `json:"spec"`
	Status IdempotencyRecordStatus `json:"status,omitempty"`
}

// Answered says whether the answer is known.
func (r *IdempotencyRecord) Answered() bool { return r.Status.AnsweredAt != nil }

// IdempotencyRecordList is a list of IdempotencyRecord.
//
// +kubebuilder:object:root=true
type IdempotencyRecordList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []IdempotencyRecord `json:"items"`
}
