/**
 * Covers limits and orders that are not in the recordings. Error messages are covered by values/name-formats.test.ts
 * and the recordings.
 */
import { validateAnnotations, validateMetadata, validateMetadataChange } from './object-meta-rules';
import { checkDnsSubdomain } from '../../values/name-formats';
import type { FieldError } from '../errors/field-error';
import type { JsonObject } from '../../values/json';

const rules = { namespaced: true, name: checkDnsSubdomain, generateName: checkDnsSubdomain };
const fields = (errors: readonly FieldError[]): string[] => errors.map((error) => error.field);

it('validateAnnotations limits keys and values together to 262144 bytes', () => {
  const check = (annotations: JsonObject): string[] => {
    const errors: FieldError[] = [];
    validateAnnotations(annotations, 'metadata.annotations', errors);
    return errors.map((error) => error.text);
  };
  expect(check({ a: 'x'.repeat(262_143) })).toEqual([]);
  expect(check({ a: 'x'.repeat(262_144) })).toEqual(['metadata.annotations: Too long: must have at most 262144 bytes']);
  expect(check({ a: 'ä'.repeat(131_071) })).toEqual([]);
  expect(check({ a: 'ä'.repeat(131_072) })).toHaveLength(1);
});

it('validateMetadata requires a namespace for namespaced kinds and forbids it for cluster-scoped ones', () => {
  expect(fields(validateMetadata({ name: 'a' }, rules))).toEqual(['metadata.namespace']);
  expect(fields(validateMetadata({ name: 'a', namespace: 'A' }, rules))).toEqual(['metadata.namespace']);
  expect(fields(validateMetadata({ name: 'a', namespace: 'b' }, { ...rules, namespaced: false }))).toEqual(['metadata.namespace']);
  expect(validateMetadata({ name: 'a', namespace: 'b' }, rules)).toEqual([]);
});

it('validateMetadata reports errors in the field order of upstream', () => {
  const metadata = {
    finalizers: ['/'],
    ownerReferences: [{ apiVersion: 'v1', kind: 'A', name: '', uid: 'u' }],
    annotations: { '': '' },
    labels: { a: '_' },
    generation: -1,
    generateName: '_',
    name: '_',
    namespace: 'n',
  };
  const reported = fields(validateMetadata(metadata, rules));
  expect([...new Set(reported)]).toEqual([
    'metadata.generateName',
    'metadata.name',
    'metadata.generation',
    'metadata.labels',
    'metadata.annotations',
    'metadata.ownerReferences.name',
    'metadata.finalizers',
  ]);
});

it('validateMetadata accepts at most one controller among the owner references', () => {
  const owner = (name: string): JsonObject => ({ apiVersion: 'v1', kind: 'A', name, uid: name, controller: true });
  expect(validateMetadata({ name: 'a', namespace: 'n', ownerReferences: [owner('x')] }, rules)).toEqual([]);
  const [error] = validateMetadata({ name: 'a', namespace: 'n', ownerReferences: [owner('x'), owner('y')] }, rules);
  expect(error?.text).toMatch(/Only one reference can have Controller set to true\. Found "true" in references for A\/x and A\/y$/);
});

it('validateMetadataChange allows only the removal of finalizers from a terminating object', () => {
  const old = { name: 'a', deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['a/b', 'c/d'] };
  expect(validateMetadataChange({ ...old, finalizers: ['c/d'] }, old)).toEqual([]);
  expect(validateMetadataChange({ ...old, finalizers: ['c/d', 'z/z', 'e/f'] }, old).map((error) => error.text)).toEqual([
    'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"e/f", "z/z"}',
  ]);
});
