/** Patterns of URL paths in RBAC rules, ABAC policies and audit policies. */

/** Whether a path equals the pattern, or begins with the part before a final `*`. */
export function matchesPathPattern(pattern: string, path: string): boolean {
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : pattern === path;
}
