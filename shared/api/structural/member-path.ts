/**
 * Paths of the fields of a scale subresource in a definition, such as `.spec.replicas`. Their form is checked when the
 * definition is written.
 */

/** `.spec.replicas` → the members from the root. */
export function membersOfPath(path: string): readonly string[] {
  return path.split('.').slice(1);
}
