/** The paths of a scale: members in dots. */

/** `.spec.replicas` as members from the top. */
export function membersOf(path: string): readonly string[] {
  return path.split('.').slice(1);
}
