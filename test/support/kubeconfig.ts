/** A kubeconfig with one cluster and one user, for tests that write it as JSON. */
export const kubeconfigOf = ({ cluster, user }: { readonly cluster: object; readonly user: object }): object => ({
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [{ name: 'c', cluster }],
  users: [{ name: 'u', user }],
  contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
  'current-context': 'c',
});
