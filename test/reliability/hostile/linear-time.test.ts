/**
 * Input of clients is processed in time in proportion to its length. Each input is so long that quadratic time would
 * take many seconds. Because a busy machine slows down everything, a slow case is measured again and compared with a
 * sixteenth of its length.
 */
import { checkCertificate } from '../../../apiserver/kinds/certificates/certificate-status';
import { validatePodUpdate } from '../../../apiserver/kinds/core/pod/pod-update';
import {
  APP_ARMOR_ANNOTATION_PREFIX,
  checkKnownAnnotations,
  checkAnnotationsMatchProfiles,
} from '../../../apiserver/kinds/core/pod-template/annotations';
import { checkVolumeMounts } from '../../../apiserver/kinds/core/pod-template/volumes/volume-mounts';
import { checkTopologySpreadConstraints } from '../../../apiserver/kinds/core/pod-template/topology-spread';
import { canonicalQuantity, QuantityError } from '../../../shared/values/quantity';
import { setTransitionTimes } from '../../../shared/api/metadata/conditions';
import { validateMetadata } from '../../../shared/api/metadata/object-meta-rules';
import { dedupOwnerReferences } from '../../../shared/api/metadata/owner-references';
import { parseManagedFields, readManagedFields, type FieldManager } from '../../../shared/patch/apply/managed-fields';
import { recordUpdate, type VersionViews, type VersionView } from '../../../shared/patch/apply/record-update';
import { mergeShapeOf, STRING, type MergeShape } from '../../../shared/patch/apply/merge-shape';
import { shapeErrors } from '../../../shared/patch/apply/typed';
import { applyJsonPatch, parseOperations } from '../../../shared/patch/json-patch';
import { formatGoValue } from '../../../shared/patch/strategic-merge';
import { parseDuration } from '../../../shared/cli/duration';
import { fieldErrors, parseJson, ParseError, parseStoredJson } from '../../../shared/serialization';
import { composeYaml } from '../../../shared/serialization/yaml/yaml-document';
import { formatGoSyntax } from '../../../shared/values/go-syntax';
import type { JsonObject } from '../../../shared/values/json';
import { leastCpuMs } from '../../support/work-cost';

/** Cases that take less at full length are not measured again. */
const UNSUSPICIOUS_MS = 500;
/** How many times as long the long input is as the short one. */
const LENGTH_RATIO = 16;
/** Linear time would grow by 16, quadratic time by 256. */
const MOST_GROWTH = 64;

/** Processes an input of the given length. */
type Work = (length: number) => unknown;

/** `length`: that of the long input, for example in characters, members or levels. */
type LengthCase = readonly [name: string, length: number, work: Work];

/** The factor by which `work` takes longer at `length` than at a sixteenth of it; 1 when it is fast at full length. */
function measureGrowth(work: Work, length: number): number {
  if (leastCpuMs(() => work(length), 1) < UNSUSPICIOUS_MS) return 1;
  const longMs = leastCpuMs(() => work(length), 2);
  return longMs < UNSUSPICIOUS_MS ? 1 : longMs / leastCpuMs(() => work(length / LENGTH_RATIO), 3);
}

describe('checking a text takes time in proportion to its length:', () => {
  const ones = (length: number): string => '1'.repeat(length);

  it.each<LengthCase>([
    ['a stored list of long integers', 100_000, (length) => parseStoredJson(`{"a":[${'1234567890123456,'.repeat(length)}1]}`)],
    ['a duration without a unit', 150_000, (length) => parseDuration(`${ones(length)}x`)],
    ['a quantity with a wrong suffix', 150_000, (length) => quantityFault(`${ones(length)}x`)],
    ['a certificate of many BEGIN lines', 50_000, (length) => checkCertificate(certificate('-----BEGIN A-----\n'.repeat(length)), [])],
    [
      'a certificate of many BEGIN lines with different labels',
      50_000,
      (length) => checkCertificate(certificate(listOfLength(length, (n) => `-----BEGIN ${n}-----\n`).join('')), []),
    ],
  ])('%s', (_, length, work) => {
    expect(measureGrowth(work, length)).toBeLessThan(MOST_GROWTH);
  });
});

/** The message for an invalid quantity; `undefined` for a valid one. */
function quantityFault(text: string): string | undefined {
  try {
    canonicalQuantity(text);
    return undefined;
  } catch (error) {
    if (error instanceof QuantityError) return error.message;
    throw error;
  }
}

/** The status of a CertificateSigningRequest with this text as its certificate. */
const certificate = (text: string): { status: { certificate: string } } => ({
  status: { certificate: Buffer.from(text).toString('base64') },
});

function listOfLength<T>(length: number, make: (n: number) => T): T[] {
  return Array.from({ length }, (_, n) => make(n));
}

const bytes = (text: string): Buffer => Buffer.from(text);

/** `inner` inside of this many objects. */
const nested = (levels: number, inner: string): string => `${'{"a":'.repeat(levels)}${inner}${'}'.repeat(levels)}`;

describe('reading a body', () => {
  /** As many duplicate members at the deepest level as there are levels and more. */
  const repeated = (levels: number): string => nested(levels, `{${'"b":1,"b":2,'.repeat(2 * levels)}"c":1}`);
  /** A duplicate member on every level. */
  const eachRepeated = (levels: number): string => `${'{"b":1,"b":2,"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

  it.each<LengthCase>([
    ['JSON that repeats members at the deepest level', 5_000, (levels) => parseJson(bytes(repeated(levels)))],
    ['JSON that repeats members on every level', 5_000, (levels) => parseJson(bytes(eachRepeated(levels)))],
    ['the faults of JSON that repeats members at the deepest level', 5_000, (levels) => faultsOf(repeated(levels))],
    ['the faults of JSON that repeats members on every level', 5_000, (levels) => faultsOf(eachRepeated(levels))],
    [
      'JSON with one byte that is not UTF-8',
      12_000_000,
      (length) => parseJson(Buffer.concat([bytes('"'), Buffer.alloc(length, 'x'), Buffer.from([0xff, 0x22])])),
    ],
    [
      'JSON of bytes that are not UTF-8',
      12_000_000,
      (length) => parseJson(Buffer.concat([bytes('"'), Buffer.alloc(length, 0xff), bytes('"')])),
    ],
    ['YAML that ends in escaped quotes', 30_000, (length) => yamlFault(`a: [x${'\\"'.repeat(length)}`)],
  ])('takes time in proportion to its length for %s', (_, length, work) => {
    expect(measureGrowth(work, length)).toBeLessThan(MOST_GROWTH);
  });

  it('rejects YAML only when its aliases expand to too many characters', () => {
    const longScalar = `a: &a ${'x'.repeat(20_000)}\nb: [${'*a, '.repeat(5_000)}]`;
    expect(yamlFault(longScalar)).toBe('yaml: document contains excessive aliasing');
    const longKey = `a: &a {? ${'x'.repeat(20_000)} : 1}\nb: [${'*a, '.repeat(5_000)}]`;
    expect(yamlFault(longKey)).toBe('yaml: document contains excessive aliasing');
    const short = `a: &a ${'x'.repeat(20_000)}\nb: [${'*a, '.repeat(100)}]`;
    expect(yamlFault(short)).toBeUndefined();
  });

  it('reports at most 100 duplicate members, with truncated paths', () => {
    const { duplicates } = parseJson(bytes(eachRepeated(5_000)));
    expect(duplicates).toHaveLength(100);
    expect(parseJson(bytes(`{"${'x'.repeat(100_000)}":{"a":1,"a":1}}`)).duplicates[0]?.length).toBeLessThan(2_000);
  });
});

/** The message for invalid YAML; `undefined` for valid YAML. */
function yamlFault(text: string): string | undefined {
  try {
    composeYaml(text);
    return undefined;
  } catch (error) {
    if (error instanceof ParseError) return error.message;
    throw error;
  }
}

/** The duplicate and unknown members of a body. The unknown ones are given. */
function faultsOf(text: string): readonly string[] {
  return fieldErrors(parseJson(bytes(text)), ['a.a.a.a.x', 'a.b'], 'strict');
}

describe('formatting a nested value takes time in proportion to its length', () => {
  /** Each level has a long string, so that copying the nested value is expensive on every level. */
  const deepValue = (levels: number): JsonObject => {
    let value: JsonObject = {};
    for (let level = 0; level < levels; level += 1) value = { a: value, b: 'x'.repeat(4_000) };
    return value;
  };
  const listOfTexts: MergeShape = { kind: 'list', element: STRING };

  it.each<LengthCase>([
    ['in errors of a strategic merge patch', 1_200, (levels) => Buffer.from(formatGoValue(deepValue(levels)))],
    ['in Go syntax', 1_200, (levels) => Buffer.from(formatGoSyntax(deepValue(levels)))],
    ['in errors of an applied configuration', 1_200, (levels) => Buffer.from(shapeErrors(listOfTexts, deepValue(levels)).join())],
  ])('%s', (_, length, work) => {
    expect(measureGrowth(work, length)).toBeLessThan(MOST_GROWTH);
  });
});

describe('processing a long list takes time in proportion to its length:', () => {
  const time = '2024-01-01T00:00:00Z';
  const managers = (length: number): JsonObject[] =>
    listOfLength(length, (n) => ({
      manager: `m${n}`,
      operation: 'Update',
      apiVersion: 'v1',
      time,
      fieldsType: 'FieldsV1',
      fieldsV1: { [`f:${n}`]: {} },
    }));
  const view: VersionView = {
    shape: mergeShapeOf('core.v1.ConfigMap'),
    resets: {},
    toVersion: (object) => object,
    fromVersion: (object) => object,
  };
  const ownership: VersionViews = { served: view, viewOf: () => view };
  const updater: FieldManager = { name: 'x', operation: 'Update', apiVersion: 'v1', subresource: '' };
  const insertions = Array.from({ length: 10_000 }, () => ({ op: 'add', path: '/a/0', value: 1 }));

  const conditions = (length: number, status: string) => listOfLength(length, (n) => ({ type: `t${n}`, status }));

  it.each<LengthCase>([
    ['managedFields entries that a client sends', 16_000, (length) => parseManagedFields(managers(length))],
    [
      'managedFields entries that are merged',
      16_000,
      (length) =>
        recordUpdate({ object: {}, entries: readManagedFields(managers(length)) }, {}, { views: ownership, manager: updater, now: time }),
    ],
    [
      'missing transition times of conditions',
      50_000,
      (length) => setTransitionTimes(conditions(length, 'True'), conditions(length, 'False'), 0),
    ],
    [
      'owner references with one uid',
      40_000,
      (length) => dedupOwnerReferences({ ownerReferences: listOfLength(length, (n) => ({ uid: 'a', name: `n${n}` })) }),
    ],
    [
      'a JSON patch that inserts at the front',
      1_000_000,
      (length) => applyJsonPatch({ a: Array<number>(length).fill(0) }, parseOperations(insertions).operations),
    ],
  ])('%s', (_, length, work) => {
    expect(measureGrowth(work, length)).toBeLessThan(MOST_GROWTH);
  });
});

describe('validation takes time in proportion to the length of a list:', () => {
  const owner = (n: number): JsonObject => ({ apiVersion: 'v1', kind: 'Pod', name: `n${n}`, uid: `${n}`, controller: true });
  const tolerations = (length: number): JsonObject[] => listOfLength(length, (n) => ({ key: `k${n}` }));

  it.each<LengthCase>([
    [
      'owner references that are all the controller',
      4_000,
      (length) =>
        validateMetadata(
          { name: 'a', ownerReferences: listOfLength(length, owner) },
          { name: () => [], generateName: () => [], namespaced: false },
        ),
    ],
    [
      'unchanged tolerations of a pod',
      20_000,
      (length) => validatePodUpdate({ spec: { tolerations: tolerations(length) } }, { spec: { tolerations: tolerations(length) } }),
    ],
    [
      'topology spread constraints',
      40_000,
      (length) =>
        checkTopologySpreadConstraints(
          { topologySpreadConstraints: listOfLength(length, (n) => ({ topologyKey: `k${n}`, whenUnsatisfiable: 'x' })) },
          'spec',
          [],
        ),
    ],
    [
      'matchExpressions and matchLabelKeys of a topology spread constraint',
      40_000,
      (length) => {
        const labelSelector = { matchExpressions: listOfLength(length, (n) => ({ key: `k${n}`, operator: 'Exists' })) };
        const matchLabelKeys = listOfLength(length, (n) => `x${n}`);
        checkTopologySpreadConstraints({ topologySpreadConstraints: [{ labelSelector, matchLabelKeys }] }, 'spec', []);
      },
    ],
    [
      'AppArmor annotations of containers',
      20_000,
      (length) => {
        const containers = listOfLength(length, (n) => ({ name: `c${n}` }));
        const annotations = Object.fromEntries(listOfLength(length, (n) => [`${APP_ARMOR_ANNOTATION_PREFIX}n${n}`, 'unconfined']));
        checkKnownAnnotations(annotations, { containers }, 'a', []);
        checkAnnotationsMatchProfiles(annotations, { containers }, 'spec', []);
      },
    ],
    [
      'volume mounts and volume devices',
      20_000,
      (length) => {
        const mounts = listOfLength(length, (n) => ({ name: `n${n}`, mountPath: `/n${n}` }));
        const devices = listOfLength(length, (n) => ({ name: `k${n}`, devicePath: `/k${n}` }));
        checkVolumeMounts({ volumeMounts: mounts, volumeDevices: devices }, 'c', new Map(), []);
      },
    ],
  ])('%s', (_, length, work) => {
    expect(measureGrowth(work, length)).toBeLessThan(MOST_GROWTH);
  });
});
