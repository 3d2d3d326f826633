// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Maximum sizes of the parts of an idempotency record, in bytes.
const (
	// MaxAnswerData is the maximum size of the data of a stored response.
	MaxAnswerData = 256 << 10
	// MaxAnswerMeta is the maximum size of the meta of a stored response.
	MaxAnswerMeta = 64 << 10
)

// ReservedObject is the object that a request is going to create. The object is recorded before its creation, so that
// a retry after a crash creates or finds the same object.
type ReservedObject struct {
	// ID of the object in its number space, or 0 for an object without an id.
	// +optional
	// +kubebuilder:validation:Minimum=0
	ID int64 `json:"id,omitempty"`
	// Name of the object. Its namespace is that of the record.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
}

// IdempotencyRecordSpec is an accepted request and the process that handles it.
// +kubebuilder:validation:XValidation:rule="self.scopeHash == oldSelf.scopeHash && self.operation == oldSelf.operation && self.keyUID == oldSelf.keyUID",message="scopeHash, operation and keyUID cannot be changed: they identify the record"
type IdempotencyRecordSpec struct {
	// ScopeHash is the SHA-256 of API key, method, path and idempotency key: 64 hexadecimal digits. The idempotency key
	// itself is not stored.
	// +kubebuilder:validation:Pattern=`^[0-9a-f]{64}$`
	ScopeHash string `json:"scopeHash"`
	// Operation is the method and path of the request.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=2048
	Operation string `json:"operation"`
	// KeyUID is the uid of the API key of the request.
	// +kubebuilder:validation:MaxLength=64
	KeyUID string `json:"keyUID"`
	// Brand is the name of the brand that the request is for.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Brand string `json:"brand,omitempty"`
	// Fingerprint is the SHA-256 of the body and the brand: 64 hexadecimal digits. A request with the same key and
	// another fingerprint is a different request.
	// +kubebuilder:validation:Pattern=`^[0-9a-f]{64}$`
	Fingerprint string `json:"fingerprint"`
	// Holder is the process that handles the request: the name of the replica and a number that identifies the process.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=320
	Holder string `json:"holder"`
	// HeldSince is the time at which the holder started to handle the request.
	HeldSince metav1.MicroTime `json:"heldSince"`
	// Reserved is the object that the request creates.
	// +optional
	Reserved *ReservedObject `json:"reserved,omitempty"`
	// ExpiresAt is the time at which the record is deleted. The idempotency key can be used again afterwards.
	ExpiresAt metav1.Time `json:"expiresAt"`
}

// IdempotencyRecordStatus is the response. The response is written once.
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.answeredAt) || self == oldSelf",message="a stored response cannot be changed"
type IdempotencyRecordStatus struct {
	// AnsweredAt is the time at which the response was stored. Absent while there is no response.
	// +optional
	AnsweredAt *metav1.MicroTime `json:"answeredAt,omitempty"`
	// AnsweredBy is the process that stored the response, in the format of spec.holder.
	// +optional
	// +kubebuilder:validation:MaxLength=320
	AnsweredBy string `json:"answeredBy,omitempty"`
	// HTTPStatus is the status code of the response, from 200 to 299.
	// +optional
	// +kubebuilder:validation:Minimum=200
	// +kubebuilder:validation:Maximum=299
	HTTPStatus int32 `json:"httpStatus,omitempty"`
	// Data of the response, as JSON. At most 256 KiB.
	// +optional
	// +kubebuilder:validation:MaxLength=262144
	Data string `json:"data,omitempty"`
	// Meta of the response, as JSON. At most 64 KiB.
	// +optional
	// +kubebuilder:validation:MaxLength=65536
	Meta string `json:"meta,omitempty"`
	// RetryAfterSeconds is the Retry-After of the response, or 0 for none.
	// +optional
	// +kubebuilder:validation:Minimum=0
	RetryAfterSeconds int32 `json:"retryAfterSeconds,omitempty"`
}

// IdempotencyRecord stores the response to a request with an idempotency key. The same request with the same key
// returns the stored response and has no further effect. The reelops-apiserver creates the records; users do not need
// to create any.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:categories=reelops,shortName={idem,rlidem}
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.status) || !has(oldSelf.status.answeredAt) || self.spec == oldSelf.spec",message="spec cannot be changed after the response is stored"
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

// Answered reports whether the response is stored.
func (r *IdempotencyRecord) Answered() bool { return r.Status.AnsweredAt != nil }

// IdempotencyRecordList is a list of IdempotencyRecord.
//
// +kubebuilder:object:root=true
type IdempotencyRecordList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []IdempotencyRecord `json:"items"`
}
