/** Bodies that are derived from stored bytes. */
import fc from 'fast-check';
import { groupFieldsOf } from '../../../shared/api/types/group-fields';
import type { Entry } from '../../cache/cache';
import { convertBody, metadataMember, withRevision } from './entry-json';

it('metadataMember returns the metadata of a body, whatever the content', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (metadata, data) => {
      const body = Buffer.from(JSON.stringify({ metadata, data }));
      expect(metadataMember(body).toString()).toBe(`"metadata":${JSON.stringify(metadata)}`);
    }),
  );
});

it('withRevision replaces the resource version in the metadata only', () => {
  const body = (version: string) =>
    Buffer.from(`{"metadata":{"name":"a","resourceVersion":"${version}","annotations":{"x":"\\"resourceVersion\\":\\"7\\""}},"data":{}}`);
  expect(withRevision(body('7'), 7, 9).toString()).toBe(body('9').toString());
  expect(withRevision(body('7'), 7, 7)).toEqual(body('7'));
});

it('convertBody converts groups to the other dialect, but no text of users', () => {
  const body = (group: string) => ({
    metadata: {
      annotations: { apiVersion: 'coordination.platform.io/v1' },
      ownerReferences: [{ apiVersion: `${group}/v1` }],
    },
    data: { apiVersion: 'coordination.platform.io/v1' },
  });
  const bytes = Buffer.from(JSON.stringify(body('coordination.platform.io')));
  const entry: Entry = { key: 'a/b', revision: 1, bytes, labels: {}, fields: {}, isDialectSensitive: true };
  const converted = convertBody(entry, groupFieldsOf('core.v1.ConfigMap'), 'kubernetes');
  expect(JSON.parse(converted.toString())).toEqual(body('coordination.k8s.io'));
});
