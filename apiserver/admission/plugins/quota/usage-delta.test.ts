/** Compares ResourceQuota decisions with release 1.31.1. */
import { buildResources } from '../../../registry/resources';
import { codecOf } from '../../../../shared/api/codec/codec';
import { canonicalQualifiedName } from '../../../../shared/names/dialect';
import { stringAt, type JsonObject } from '../../../../shared/values/json';
import { parseQuantity } from '../../../../shared/values/quantity';
import { mergeObject } from '../../../../shared/patch/merge-patch';
import { readRecording } from '../../../../test/replay/recording';
import { body, number, shape, text, type Check } from '../../../../test/replay/shape';
import { usageDeltas, exceededMessage, quotaFor, unspecifiedMessage } from './usage-delta';

const object: Check<JsonObject> = (value): value is JsonObject => typeof value === 'object' && value !== null;
const quantities: Check<Record<string, string>> = (value): value is Record<string, string> =>
  object(value) && Object.values(value).every((quantity) => typeof quantity === 'string');
/** `hard` and `spec` are of the quota, `used` is its usage. `old`: the object before an update; `body` is then a patch. */
const isCase = shape(
  { title: text, resource: text, hard: quantities, used: object, spec: object, body: object, code: number },
  { old: object, message: text },
);
const NOW = Date.UTC(2026, 0, 2);

it.each(readRecording('admission/quota', body, isCase).cases.map((recorded) => [recorded.title, recorded] as const))(
  'ResourceQuota decides as recorded: %s',
  (_title, { resource, hard, used, spec, body, old, code, message }) => {
    const { row } = buildResources().require(resource);
    const decoded = (value: JsonObject): JsonObject => {
      const codec = codecOf(row);
      const { object: decodedObject } = codec.decode(value);
      codec.applyDefaults(decodedObject);
      return decodedObject;
    };
    const before = old === undefined ? undefined : decoded(old);
    const after = old === undefined ? decoded(body) : decoded(mergeObject(old, body));
    const amounts = new Map(Object.keys(used).map((name) => [canonicalQualifiedName(name), parseQuantity(stringAt(used, name) ?? '0')]));
    const findRejection = (): string | undefined => {
      const quota = quotaFor(row, { metadata: { name: 'q' }, spec: { hard, ...spec } });
      if (quota === undefined) return undefined;
      const unspecified = before === undefined ? unspecifiedMessage(row, quota, after) : undefined;
      const deltas = usageDeltas(quota, { kind: row, object: after, old: before, now: NOW });
      return unspecified ?? exceededMessage(quota, deltas, amounts);
    };
    const rejection = findRejection();
    expect(rejection === undefined ? undefined : `${row.resource} "x" is forbidden: ${rejection}`).toBe(message);
    expect(code < 300).toBe(rejection === undefined);
  },
);
