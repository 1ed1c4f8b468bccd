/**
 * Which types the tables hold: these and every type that they need. One more kind = one more row here (and its list type, which is found by name).
 * Types are named `<group>.<version>.<Kind>`; see packages.ts for where they stand in the programs.
 */
export const ROOTS: readonly string[] = [
  'core.v1.Namespace',
  'core.v1.ConfigMap',
  'core.v1.Secret',
  'core.v1.Service',
  'core.v1.Pod',
  'core.v1.Node',
  'core.v1.Event',
  'core.v1.ServiceAccount',
  'core.v1.Endpoints',
  'core.v1.Binding',
  'coordination.v1.Lease',
  'meta.v1.Status',
  'meta.v1.DeleteOptions',
  'meta.v1.ListOptions',
  'meta.v1.CreateOptions',
  'meta.v1.UpdateOptions',
  'meta.v1.PatchOptions',
  'meta.v1.WatchEvent',
  'meta.v1.PartialObjectMetadata',
  'meta.v1.LabelSelector',
  'meta.v1.APIGroup',
  'meta.v1.APIGroupList',
  'meta.v1.APIResource',
  'meta.v1.APIResourceList',
  'meta.v1.APIVersions',
];
