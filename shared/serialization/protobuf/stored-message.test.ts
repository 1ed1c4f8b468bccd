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

it.each([5, 'text', true, [1]])('a set in a template, which is not validated, is written as its JSON text: %j', (fieldsV1) => {
  const object: JsonObject = { template: { metadata: { managedFields: [{ fieldsV1 }] } } };
  const stored = Buffer.from(encodeBody('core.v1.PodTemplate', object));
  const text = Buffer.from(JSON.stringify(fieldsV1));
  // Field 7 of an entry, with the text in field 1 of its message.
  const field = Buffer.concat([Buffer.from([0x3a, text.length + 2, 0x0a, text.length]), text]);
  expect(encodeStoredMessage('core.v1.PodTemplate', stored).includes(field)).toBe(true);
});
