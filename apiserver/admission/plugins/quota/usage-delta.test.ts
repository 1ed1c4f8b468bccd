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

const isJsonObject: Check<JsonObject> = (value): value is JsonObject => typeof value === 'object' && value !== null;
const areQuantities: Check<Record<string, string>> = (value): value is Record<string, string> =>
  isJsonObject(value) && Object.values(value).every((quantity) => typeof quantity === 'string');
/** `hard` and `spec` are of the quota, `used` is its usage. `old`: the object before an update; `body` is then a patch. */
const isCase = shape(
  { title: text, resource: text, hard: areQuantities, used: isJsonObject, spec: isJsonObject, body: isJsonObject, code: number },
  { old: isJsonObject, message: text },
);
const NOW = Date.UTC(2026, 0, 2);

it.each(readRecording('admission/quota', body, isCase).cases.map((recorded) => [recorded.title, recorded] as const))(
  'ResourceQuota decides as recorded: %s',
  (_title, { resource, hard, used, spec, body, old, code, message }) => {
    const { row } = buildResources().require(resource);
    /** The object as it is stored. */
    const decoded = (value: JsonObject): JsonObject => {
      const codec = codecOf(row);
      const { object: decodedObject } = codec.decode(value);
      codec.applyDefaults(decodedObject);
      return decodedObject;
    };
    const oldObject = old === undefined ? undefined : decoded(old);
    const newObject = old === undefined ? decoded(body) : decoded(mergeObject(old, body));
    const usedAmounts = new Map(
      Object.keys(used).map((name) => [canonicalQualifiedName(name), parseQuantity(stringAt(used, name) ?? '0')]),
    );
    const findRejection = (): string | undefined => {
      const quota = quotaFor(row, { metadata: { name: 'q' }, spec: { hard, ...spec } });
      if (quota === undefined) return undefined;
      const unspecified = oldObject === undefined ? unspecifiedMessage(row, quota, newObject) : undefined;
      const deltas = usageDeltas(quota, { kind: row, object: newObject, old: oldObject, now: NOW });
      return unspecified ?? exceededMessage(quota, deltas, usedAmounts);
    };
    const rejection = findRejection();
    expect(rejection === undefined ? undefined : `${row.resource} "x" is forbidden: ${rejection}`).toBe(message);
    expect(code < 300).toBe(rejection === undefined);
  },
);
