/**
 * Compares published schemas with those of release 1.31.1 (custom/publishing), without the descriptions of apiVersion,
 * kind and metadata.
 */
import { readRecording } from '../../../test/replay/recording';
import { body, shape, text, type Check } from '../../../test/replay/shape';
import { isObject, ownMember, stringifyJson, type JsonObject, type JsonValue } from '../../../shared/values/json';
import { JsonIndex } from '../../../shared/values/json-index';
import { PublishedSchema } from './published-schema';
import { schemaValue } from './schema-json';

interface RecordedSchema {
  readonly title: string;
  readonly schema: JsonObject;
  readonly documents: Readonly<Record<'v2' | 'v3', { readonly kind: JsonObject }>>;
}

/** The schema of the kind in a document of the reference server. */
const document = shape({ kind: body });
const isRecordedSchema: Check<RecordedSchema> = shape({ title: text, schema: body, documents: shape({ v2: document, v3: document }) });

/** Empty schemas in place of those of apiVersion, kind and metadata. */
const EMPTY_TYPE_META: JsonObject = { apiVersion: {}, kind: {}, metadata: {} };

/** Empties apiVersion, kind and metadata of resources, which are recognized by their reference to ObjectMeta. */
function withEmptyTypeMeta(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withEmptyTypeMeta);
  if (!isObject(value)) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([name, member]): [string, JsonValue] => [name, withEmptyTypeMeta(member)]));
  const metadata = ownMember(value, 'metadata');
  const isReference = isObject(metadata) && JSON.stringify(metadata).includes('ObjectMeta');
  return isReference ? { ...copy, ...EMPTY_TYPE_META } : copy;
}

const { cases } = readRecording('custom/publishing', shape({ format: text }), isRecordedSchema);

describe.each(cases.map((published) => [published.title, published] as const))(
  'PublishedSchema of a schema with %s',
  (_title, { schema, documents }) => {
    test.each([2, 3] as const)('equals the recorded one in OpenAPI v%i', (version) => {
      const {
        'x-kubernetes-group-version-kind': _kinds,
        'x-kubernetes-selectable-fields': _fields,
        ...expected
      } = documents[`v${version}`].kind;
      const json = new JsonIndex(Buffer.from(stringifyJson(schema, 'sorted')));
      const published = new PublishedSchema(json, {
        version,
        objectMembers: EMPTY_TYPE_META,
        embeddedMembers: EMPTY_TYPE_META,
        extraMembers: {},
      });
      expect(schemaValue(published)).toEqual(withEmptyTypeMeta(expected));
    });
  },
);
