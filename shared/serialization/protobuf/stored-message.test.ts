/** Messages of stored objects, compared with those of the same objects in memory. */
import type { JsonObject } from '../../values/json';
import { encodeBody } from '../../api/types/encode';
import { encodeProtobufMessage } from './protobuf';
import { encodeStoredMessage } from './stored-message';

/** An entry of managed fields with a name in its set, such as `f:spec`. */
const managedFields = (name: string): JsonObject => ({
  manager: 'kubectl',
  operation: 'Apply',
  apiVersion: 'v1',
  time: '2026-01-02T03:04:05Z',
  fieldsType: 'FieldsV1',
  fieldsV1: { [name]: { '.': {}, 'k:{"type":"a]}\\"<"}': {} }, 'f:status': {} },
});

const template = (metadata: JsonObject): JsonObject => ({ metadata, spec: { containers: [{ name: 'main', image: 'app' }] } });

const quotedNames = '"managedFields":[{"fieldsV1":{"f:a":{}}}]';

it.each<[title: string, type: string, object: JsonObject]>([
  ['an object without managed fields', 'core.v1.ConfigMap', { metadata: { name: 'a' }, data: { key: 'value' } }],
  ['two sets', 'core.v1.Pod', { metadata: { name: 'a', managedFields: [managedFields('f:spec'), managedFields('f:metadata')] } }],
  [
    'an entry without a set before one with a set',
    'core.v1.Pod',
    { metadata: { name: 'a', managedFields: [{ manager: 'a', operation: 'Update' }, managedFields('f:spec')] } },
  ],
  [
    'sets in the metadata and in a template',
    'core.v1.PodTemplate',
    { metadata: { managedFields: [managedFields('f:template')] }, template: template({ managedFields: [managedFields('f:spec')] }) },
  ],
  ['sets in a template only', 'core.v1.PodTemplate', { template: template({ managedFields: [managedFields('f:spec')] }) }],
  [
    'a set that is a string, in a template',
    'core.v1.PodTemplate',
    { template: template({ managedFields: [{ manager: 'a', fieldsV1: 'text' }] }) },
  ],
  [
    'managed fields in data of any form',
    'apps.v1.ControllerRevision',
    { metadata: { name: 'a' }, data: { managedFields: [{ fieldsV1: { a: 1 } }] }, revision: 1 },
  ],
  [
    'names of the members in texts',
    'core.v1.ConfigMap',
    { metadata: { annotations: { note: quotedNames }, managedFields: [managedFields('f:data')] }, data: { note: quotedNames } },
  ],
])('encodeStoredMessage writes the same message as encodeProtobufMessage: %s', (_title, type, object) => {
  const stored = Buffer.from(encodeBody(type, object));
  expect(encodeStoredMessage(type, stored).toString('hex')).toBe(encodeProtobufMessage(type, object).toString('hex'));
});
