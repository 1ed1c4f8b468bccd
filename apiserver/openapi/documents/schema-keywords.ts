/**
 * The keywords of custom schemas that OpenAPI documents publish, each represented by a number, and the search for the
 * keyword of a name in the JSON of a definition. How a keyword is published is left to published-schema.ts.
 */

/** The schema allows members that it does not name. */
export const PRESERVE_UNKNOWN_FIELDS = 'x-kubernetes-preserve-unknown-fields';
/** Keywords that both versions of OpenAPI publish unchanged. */
const KEYWORDS_OF_BOTH: readonly string[] = [
  'description',
  'title',
  'format',
  'minimum',
  'exclusiveMinimum',
  'maximum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'required',
  'enum',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-map-type',
  PRESERVE_UNKNOWN_FIELDS,
  'x-kubernetes-validations',
];
/** Keywords that only v3 publishes unchanged. */
const KEYWORDS_OF_V3: readonly string[] = ['nullable', 'default', 'allOf', 'anyOf', 'oneOf', 'not'];
/** Keywords that are converted. */
const NESTING_KEYWORDS: readonly string[] = ['type', 'items', 'additionalProperties', 'properties'];

/** The names of all keywords; a keyword is represented by its index here. */
export const KEYWORDS: readonly string[] = [...KEYWORDS_OF_BOTH, ...KEYWORDS_OF_V3, ...NESTING_KEYWORDS];
/** The OpenAPI version from which on a keyword is published unchanged; infinite for those that are converted. */
export const SINCE_VERSION: readonly number[] = [
  ...KEYWORDS_OF_BOTH.map(() => 2),
  ...KEYWORDS_OF_V3.map(() => 3),
  ...NESTING_KEYWORDS.map(() => Infinity),
];
const keywordOf = (name: string): number => KEYWORDS.indexOf(name);

/** The keywords that decide how a schema is published. */
export const KEYWORD = {
  type: keywordOf('type'),
  items: keywordOf('items'),
  additionalProperties: keywordOf('additionalProperties'),
  properties: keywordOf('properties'),
  nullable: keywordOf('nullable'),
  preserveUnknownFields: keywordOf(PRESERVE_UNKNOWN_FIELDS),
  intOrString: keywordOf('x-kubernetes-int-or-string'),
  default: keywordOf('default'),
  allOf: keywordOf('allOf'),
  anyOf: keywordOf('anyOf'),
  required: keywordOf('required'),
  embeddedResource: keywordOf('x-kubernetes-embedded-resource'),
} as const;

/**
 * Keywords by length (all are shorter than 64), with their characters: finds the keyword of a name in the JSON without
 * creating a string.
 */
const KEYWORDS_BY_LENGTH: readonly (readonly { readonly keyword: number; readonly codes: Uint8Array }[])[] = Array.from(
  { length: 64 },
  (_, length) =>
    KEYWORDS.flatMap((name, keyword) =>
      name.length === length ? [{ keyword, codes: Uint8Array.from(name, (code) => code.charCodeAt(0)) }] : [],
    ),
);

/** The keyword with the name at these bytes; -1 for an unknown one. */
export function keywordAt(bytes: Uint8Array, start: number, end: number): number {
  for (const { keyword, codes } of KEYWORDS_BY_LENGTH[end - start] ?? []) {
    let equal = 0;
    while (equal < codes.length && bytes[start + equal] === codes[equal]) equal += 1;
    if (equal === codes.length) return keyword;
  }
  return -1;
}
