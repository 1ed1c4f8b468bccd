/** A kubeconfig with one cluster and one user, which are those of its current context. Tests write it as JSON, which is valid YAML. */
export const kubeconfigOf = ({ cluster, user }: { readonly cluster: object; readonly user: object }): object => ({
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [{ name: 'c', cluster }],
  users: [{ name: 'u', user }],
  contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
  'current-context': 'c',
});
