/** Paths of a scale subresource, with dots. */

/** `.spec.replicas` → the members from the root. */
export function membersOfPath(path: string): readonly string[] {
  return path.split('.').slice(1);
}
