/**
 * Names of fields in expressions: a name that is not an identifier is escaped (`__dot__`, `__dash__`, `__slash__`,
 * `__underscores__`, keywords between underscores). A field with a name that cannot be escaped is not accessible.
 */
const KEYWORDS: ReadonlySet<string> = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);
const ESCAPABLE = /__|[./-]/g;
const ESCAPES: Readonly<Record<string, string>> = { __: '__underscores__', '.': '__dot__', '-': '__dash__', '/': '__slash__' };

/** `undefined` when the field is not accessible. */
export function escapeFieldName(name: string): string | undefined {
  if (KEYWORDS.has(name)) return `__${name}__`;
  const escaped = name.replace(ESCAPABLE, (part) => ESCAPES[part] ?? part);
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(escaped) ? escaped : undefined;
}

/**
 * The names of a field in admission policies, which accept keywords unescaped as well (upstream behaviour). Empty when
 * the field is not accessible.
 */
export function accessibleNames(name: string): readonly string[] {
  const escaped = escapeFieldName(name);
  if (escaped === undefined) return [];
  return KEYWORDS.has(name) ? [escaped, name] : [escaped];
}
