/**
 * The names that expressions use for members of objects: what is no identifier is escaped (`__dot__`, `__dash__`, `__slash__`, `__underscores__`, and
 * keywords between underscores). Members whose names cannot be escaped are not accessible.
 */
const KEYWORDS: ReadonlySet<string> = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);
const ESCAPABLE = /__|[./-]/g;
const ESCAPES: Readonly<Record<string, string>> = { __: '__underscores__', '.': '__dot__', '-': '__dash__', '/': '__slash__' };

/** Undefined when the member is not accessible. */
export function escapeMember(name: string): string | undefined {
  if (KEYWORDS.has(name)) return `__${name}__`;
  const escaped = name.replace(ESCAPABLE, (part) => ESCAPES[part] ?? part);
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(escaped) ? escaped : undefined;
}

/** In admission policies keywords are known as they are, too (upstream behaviour). Empty when the member is not accessible. */
export function spellingsOf(name: string): readonly string[] {
  const escaped = escapeMember(name);
  if (escaped === undefined) return [];
  return KEYWORDS.has(name) ? [escaped, name] : [escaped];
}
