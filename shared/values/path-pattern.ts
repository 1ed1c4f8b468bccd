/** Whether a path is one that a pattern means: itself, or where it ends with `*` all that begin so. */
export function matchesPathPattern(pattern: string, path: string): boolean {
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : pattern === path;
}
