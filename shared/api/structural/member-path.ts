/**
 * Paths of the scale subresource of a CustomResourceDefinition, such as `.spec.replicas`. Their form was checked when the
 * definition was written.
 */

/** `.spec.replicas` → the members from the root. */
export function membersOfPath(path: string): readonly string[] {
  return path.split('.').slice(1);
}
