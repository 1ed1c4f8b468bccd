/**
 * Rules about messages that an expression builds: how they are checked, what they are, what their fields take, and how they are printed.
 */

const INT32 = 'google.protobuf.Int32Value';
const one = `${INT32}{value: 1}`;
const text = 'google.protobuf.StringValue{value: "abc"}';
const struct = (of: string): string => `google.protobuf.Struct{fields: {"a": ${of}}}.a`;
const OF_EVERY_TYPE = [
  'null',
  'true',
  '1',
  '1u',
  '1.5',
  '"a"',
  'b"a"',
  'duration("1s")',
  'timestamp("2020-01-01T00:00:00Z")',
  '[1]',
  '{"a": 1}',
  '{1: 1}',
  'int',
  'quantity("1")',
  'ip("1.2.3.4")',
  'optional.of(1)',
  'optional.of("a")',
  'optional.none()',
];
const FIELDS: readonly (readonly [message: string, field: string])[] = [
  ...['Bool', 'Bytes', 'Double', 'Float', 'Int32', 'Int64', 'String', 'UInt32', 'UInt64'].map((name) => [`${name}Value`, 'value'] as const),
  ['Duration', 'seconds'],
  ['Timestamp', 'nanos'],
  ['Struct', 'fields'],
  ['ListValue', 'values'],
  ...['null_value', 'number_value', 'string_value', 'bool_value', 'struct_value', 'list_value'].map((name) => ['Value', name] as const),
];

const checked = [
  `${INT32}{value: "a"} == 1`,
  `${INT32}{value: null} == 1`,
  `${INT32}{value: 1u} == 1`,
  `${INT32}{value: []} == 1`,
  `${INT32}{other: 1} == 1`,
  `${INT32}{value: nosuch + 1, other: 2, third: nosuch} == 1`,
  `${INT32}{?value: 1} == 1`,
  `${INT32}{?value: optional.of("a")} == 1`,
  `${INT32}{value: optional.of(1)} == 1`,
  `${INT32}{value: google.protobuf.UInt64Value{value: 1u}} == 1`,
  `${INT32}{value: (true ? null : ${one})} == 1`,
  'google.protobuf.Foo{x: nosuch} == 1',
  'google.protobuf.NullValue{} == 1',
  'google.protobuf.NullValue == 1',
  'google.protobuf.NullValue.FOO == 1',
  'Int32Value{value: 1} == 1',
  `${INT32} == int`,
  `type(${one}) == ${INT32}`,
  ...['Value', 'Struct', 'ListValue'].map((name) => `type(1) == google.protobuf.${name}`),
  `${one} == 1.0`,
  `${one} == "a"`,
  `${one} == google.protobuf.UInt32Value{value: 1u}`,
  `has(${one}.value)`,
  `${one}.?value == optional.of(1)`,
  `${one}[0] == 1`,
  `${text}.exists(c, c == "a")`,
  `(true ? "a" : ${one}) == "a"`,
  `(true ? null : ${one}) + 1 == 2`,
  `(true ? ${one} : null) == "a"`,
  `(true ? 1 : ${one}) == "a"`,
  `(true ? ${one} : 1) == "a"`,
  `[null, ${one}].size() == 2`,
  `[${one}, null].size() == 2`,
  `[1, ${one}].all(x, x == "a")`,
  `[${one}, 1].all(x, x == "a")`,
  `[${one}, google.protobuf.UInt64Value{value: 1u}].size() == 2`,
  `[google.protobuf.ListValue{values: [1]}, [1]].size() == 2`,
  '[google.protobuf.Value{}, 1].size() == 2',
  '1 in google.protobuf.Struct{fields: {"a": 1}}',
  `"%d".format([${text}]) == ""`,
  `${INT32}{value 1} == 1`,
  `${INT32}{"value": 1} == 1`,
  '(google.protobuf).Int32Value{value: 1} == 1',
];

const held = [
  `.${one} == 1`,
  `google . protobuf . Int32Value { value : 1 , } == 1`,
  `${INT32}{value: 1, value: 2} == 2`,
  `${INT32}{,} == 0`,
  `${INT32}{?value: optional.of(3)} == 3`,
  `${INT32}{?value: optional.none()} == 0`,
  `${INT32}{?value: optional.of(1), ?value: optional.none()} == 0`,
  `${INT32}{value: google.protobuf.Int64Value{value: 4}} == 4`,
  `type(${one}) == int`,
  `${one} + 1 == 2 && 1 + ${one} == 2 && -${one} == -1 && ${one} < 2`,
  `${one} + google.protobuf.Int64Value{value: 2} == 3`,
  '!google.protobuf.BoolValue{value: true} || (google.protobuf.BoolValue{value: true} ? true : false)',
  `[${one}, 1] == [1, ${one}]`,
  `[[1], [${one}]].size() == 2 && {"a": [${one}], "b": [1]}.size() == 2`,
  `{google.protobuf.StringValue{value: "a"}: 1}["a"] == 1 && {"a": 1}[google.protobuf.StringValue{value: "a"}] == 1`,
  `[1, 2][${one}] == 2 && ${one} in [1, 2] && 1 in [${one}]`,
  `string(${one}) == "1" && int(${one}) == 1 && "%d".format([${one}]) == "1"`,
  `${text}.startsWith("a") && "abc".startsWith(${text}) && size(${text}) == 3 && ${text} + "d" == "abcd"`,
  `null == ${one} || ${one} == null`,
  `optional.of(${one}).orValue(3) == 1 && [${one}].sum() == 1 && [${one}].map(x, x + 1) == [2]`,
  'google.protobuf.NullValue.NULL_VALUE + 1 == 1',
  'string(google.protobuf.FloatValue{value: 1e300}) == "+Inf" && google.protobuf.FloatValue{value: 1.333} != 1.333',
  'type(google.protobuf.Duration{}) == google.protobuf.Duration && type(google.protobuf.Value{}) == null_type',
  'google.protobuf.Value{number_value: 1.0, string_value: "a"} == "a" && google.protobuf.Value{null_value: 7} == null',
  'google.protobuf.Struct{fields: {"a": 1}} == {"a": 1} && google.protobuf.ListValue{values: [1]} == [1]',
  'google.protobuf.Struct{fields: {"a": 1}}.b == 1',
  'google.protobuf.Struct{fields: {dyn(2): 1}}.b == 1',
  'google.protobuf.ListValue{values: [1, 2]}[5] == 1',
  'google.protobuf.Value{list_value: [1]}.a == 1',
  'dyn([1]).a == 1',
  'string(duration("100000000.123456789s")) == "100000000.12345679s" && string(duration("-1h0.5s1ns")) == "-3600.500000001s"',
  'string(duration("1ns")) == "0.000000001s" && string(duration("-1us")) == "-0.000001s"',
  'string(google.protobuf.Duration{seconds: 9223372037}) == "9223372036.854776s"',
  'string(google.protobuf.Timestamp{seconds: -70000000000}) == "-0249-10-15T19:33:20Z"',
  'string(google.protobuf.Timestamp{seconds: 253402300800}) == "10000-01-01T00:00:00Z"',
  'has(dyn([1]).a)',
  'google.protobuf.BytesValue{value: dyn([1u, 2u])} == b"\\x01\\x02"',
  'google.protobuf.BytesValue{value: dyn([1u, 256u])} == b""',
  ...['2147483647', '2147483648', '-2147483648', '-2147483649'].map((value) => `${INT32}{value: ${value}} == ${value}`),
  ...['4294967295u', '4294967296u'].map((value) => `google.protobuf.UInt32Value{value: ${value}} == ${value}`),
  ...[`${INT32}{value: [1][5]} == 1`, `${INT32}{value: 1/0} == 1`],
];

/** What is printed of times and lengths. */
const printed = [
  ...[
    'seconds: 1, nanos: 5',
    'seconds: 1, nanos: -5',
    'seconds: -1, nanos: -5',
    'seconds: 1, nanos: 2000000000',
    'seconds: 1, nanos: 3000000000',
    'seconds: 253402300799, nanos: 999999999',
    'seconds: 253402300800',
    'seconds: -62135596801',
    'seconds: -70000000000',
    'seconds: 9223372036',
    'seconds: 9223372037',
    'seconds: 9223372037, nanos: -999999999',
    'seconds: -9223372036, nanos: -999999999',
  ].flatMap((fields) => [
    `int(string(google.protobuf.Duration{${fields}})) == 0`,
    `int(string(google.protobuf.Timestamp{${fields}})) == 0`,
    `google.protobuf.Duration{${fields}} == duration("1s") || int(google.protobuf.Timestamp{${fields}}) % 2 == 0`,
  ]),
];

const converted = FIELDS.flatMap(([message, field]) =>
  OF_EVERY_TYPE.map((value) => `dyn(google.protobuf.${message}{${field}: dyn(${value})}) == 1`),
);
const json = [
  ...OF_EVERY_TYPE.map((value) => `${struct(value)} == dyn(${value})`),
  ...['9007199254740991', '9007199254740992', '-9007199254740992', '9007199254740992u'].map(
    (value) => `type(${struct(value)}) == double || ${struct(value)} == string(${value})`,
  ),
  `${struct('b"ab"')} == "YWI="`,
  `${struct('duration("1.5s")')} == "1.5s"`,
  `${struct('timestamp("2020-01-01T00:00:00.1Z")')} == "2020-01-01T00:00:00.1Z"`,
  `${struct(`[${one}, google.protobuf.Int32Value{}]`)} == [1.0, 0.0]`,
  'google.protobuf.Struct{fields: object}.metadata == object.metadata',
];
const texts = [
  'quantity("1000m")',
  'quantity("1024Ki")',
  'quantity("1.5").add(quantity("1k"))',
  'ip("2001:DB8::1")',
  'cidr("1.2.3.4/24")',
  'url("https://a.b/c?d=e")',
].map(
  (value) =>
    `google.protobuf.StringValue{value: dyn(${value})} in ["1", "1Mi", "1001500m", "2001:db8::1", "1.2.3.4/24", "https://a.b/c?d=e"]`,
);
const optional = OF_EVERY_TYPE.filter((value) => !value.startsWith('optional')).map((value) => `${INT32}{?value: dyn(${value})} == 1`);

export const MESSAGE_RULES: readonly string[] = [...checked, ...held, ...printed, ...converted, ...json, ...texts, ...optional];
