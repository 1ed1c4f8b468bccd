/**
 * Why cases of the language's specification do not hold in release 1.31, and where this server answers them otherwise than the reference server does. Each
 * row says how many cases it is about, so that none moves unseen. A case belongs to the first row that fits it.
 */

export interface SpecificationRow {
  readonly why: string;
  readonly cases: number;
  /** What fits its name, its text, or what the reference says of it. */
  readonly name?: RegExp;
  readonly source?: RegExp;
  readonly answer?: RegExp;
}

/** Cases of which no rule can be made, by the reason that is found for them; only the reference is not asked. */
export const UNSAID: Readonly<Record<string, number>> = {
  'protobuf messages': 267,
  enumerations: 19,
  'variables with dots in their names': 8,
  'functions of its own': 5,
};

/** Cases for which the reference server, and this one, has another answer than the specification. */
export const NOT_APPLICABLE: readonly SpecificationRow[] = [
  {
    why: 'there are no messages of protobuf',
    cases: 292,
    source:
      /TestAllTypes|TestRequired|NestedTestAll|NestedMessage|proto2|proto3|GlobalEnum|(?<!google\.protobuf\.)\b\w+Value\s*\{|NullValue/,
  },
  { why: 'the library of mathematics is not loaded', cases: 182, source: /\bmath\./ },
  { why: 'the library of encodings is not loaded', cases: 4, source: /base64\./ },
  { why: 'names for parts of an expression (cel.bind, cel.block) are not loaded', cases: 30, source: /\bcel\.(block|index|iterVar|bind)/ },
  { why: 'loops over two variables are newer', cases: 38, name: /^macros2\// },
  { why: 'names in back quotes are newer', cases: 6, source: /`/ },
  {
    why: 'the items of lists and the keys of maps are of one type, and types are checked',
    cases: 51,
    answer: /: (expected type|found no matching overload|type '.*' does not support)/,
  },
  { why: 'names are declared before anything is evaluated', cases: 20, answer: /: undeclared reference/ },
  { why: 'a loop of this test has no name that may be one', cases: 3, answer: /argument must be a simple name/ },
  { why: 'formats are those of an older version', cases: 18, name: /^string_ext\/format/ },
  { why: 'an older version answers otherwise', cases: 7, name: /./ },
];

/** Where this server answers otherwise than the reference. */
export const DIFFERENT: readonly SpecificationRow[] = [
  { why: 'a message of any kind is not built', cases: 2, source: /google\.protobuf\.Any\s*\{/ },
  { why: 'the reference hangs up on formats that are no constants', cases: 7, answer: /^no answer$/ },
  { why: 'the reference gets its own types of optional values mixed up', cases: 3, answer: /incompatible type already exists/ },
  { why: 'what follows the first fault of the syntax is told otherwise', cases: 6, source: /`/ },
  { why: 'what follows the first name that is not declared is told otherwise', cases: 4, answer: /: undeclared reference to 'cel'/ },
];
