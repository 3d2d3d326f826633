// SPDX-License-Identifier: Apache-2.0

package testkit

import (
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Token creates a ServiceAccount in the namespace default and returns a bearer token of it.
func Token(t testing.TB, c client.Client, name string) string {
	t.Helper()
	account, request := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}, &authenticationv1.TokenRequest{}
	if err := c.Create(t.Context(), account); err != nil {
		t.Fatal(err)
	}
	if err := c.SubResource("token").Create(t.Context(), account, request); err != nil {
		t.Fatal(err)
	}
	return request.Status.Token
}

// Grant creates a ClusterRole with rules and binds it.
func Grant(t testing.TB, c client.Client, role string, to rbacv1.Subject, rules ...rbacv1.PolicyRule) {
	t.Helper()
	if err := c.Create(t.Context(), &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: role}, Rules: rules}); err != nil {
		t.Fatal(err)
	}
	if err := c.Create(t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: role}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role}, Subjects: []rbacv1.Subject{to},
	}); err != nil {
		t.Fatal(err)
	}
}

// Prometheus returns a bearer token of a ServiceAccount that may read metrics, as the chart's ClusterRole
// reelops-metrics-reader allows.
func Prometheus(t testing.TB, c client.Client) string {
	t.Helper()
	token := Token(t, c, "prometheus")
	Grant(t, c, "reelops-metrics-reader", rbacv1.Subject{Kind: "ServiceAccount", Namespace: "default", Name: "prometheus"},
		rbacv1.PolicyRule{NonResourceURLs: []string{"/metrics"}, Verbs: []string{"get"}})
	return token
}
