/**
 * Names of fields in expressions. A name that is not an identifier is escaped: `a.b-c/d` -> `a__dot__b__dash__c__slash__d`,
 * `a__b` -> `a__underscores__b`, and the keyword `in` -> `__in__`. A field is not accessible when its name contains other
 * characters or begins with a digit.
 */
const KEYWORDS: ReadonlySet<string> = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);
/** What is escaped in a name. */
const ESCAPABLE = /__|[./-]/g;
const ESCAPES: Readonly<Record<string, string>> = { __: '__underscores__', '.': '__dot__', '-': '__dash__', '/': '__slash__' };

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The name of a field in expressions; `undefined` when the field is not accessible. */
export function escapeFieldName(name: string): string | undefined {
  if (KEYWORDS.has(name)) return `__${name}__`;
  const escaped = name.replace(ESCAPABLE, (part) => ESCAPES[part] ?? part);
  return IDENTIFIER.test(escaped) ? escaped : undefined;
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
