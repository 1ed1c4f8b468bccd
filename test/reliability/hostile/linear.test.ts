/**
 * What a client sends is read in time in proportion to its length. Each text is so long that reading it in the square of its length takes many seconds,
 * and is read in a few milliseconds otherwise; the bound lies far from both.
 */
import { checkCertificate } from '../../../apiserver/kinds/certificates/certificate-status';
import { podChangeErrors } from '../../../apiserver/kinds/core/pod/changes';
import { checkMounts } from '../../../apiserver/kinds/core/pod-template/mounts';
import { canonicalQuantity, QuantityFault } from '../../../shared/values/quantity';
import { validateMetadata } from '../../../shared/api/metadata/object-meta-rules';
import { duplicateFree } from '../../../shared/api/metadata/owner-references';
import { parseEntries, readEntries, type Manager } from '../../../shared/patch/apply/entries';
import { recordUpdate, type Ownership, type VersionView } from '../../../shared/patch/apply/manager';
import { shapeOf } from '../../../shared/patch/apply/shape';
import { applyJsonPatch, parseOperations } from '../../../shared/patch/json-patch';
import { parseDuration } from '../../../shared/runtime/duration';
import { fieldFaults, parseJson, SyntaxFault } from '../../../shared/serialization';
import { composeYaml } from '../../../shared/serialization/yaml-document';

const MOST_CPU_MS = 1_000;

function cpuOf(run: () => unknown): number {
  const begin = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1000;
}

const ones = '1'.repeat(150_000);

function quantityFault(text: string): string | undefined {
  try {
    canonicalQuantity(text);
    return undefined;
  } catch (error) {
    if (error instanceof QuantityFault) return error.message;
    throw error;
  }
}

describe('texts', () => {
  it.each<[string, () => unknown]>([
    ['a duration without a unit', () => parseDuration(`${ones}x`)],
    ['a quantity with a wrong suffix', () => quantityFault(`${ones}x`)],
    ['a certificate of beginnings', () => checkCertificate(certificate('-----BEGIN A-----\n'.repeat(50_000)), [])],
    [
      'a certificate of beginnings of other kinds',
      () => checkCertificate(certificate(Array.from({ length: 50_000 }, (_, n) => `-----BEGIN ${n}-----\n`).join('')), []),
    ],
  ])('%s', (_, run) => {
    expect(cpuOf(run)).toBeLessThan(MOST_CPU_MS);
  });
});

const certificate = (text: string): { status: { certificate: string } } => ({
  status: { certificate: Buffer.from(text).toString('base64') },
});

const bytes = (text: string): Buffer => Buffer.from(text);

/** `levels` objects in one another, `inner` in the last. */
const nested = (levels: number, inner: string): string => `${'{"a":'.repeat(levels)}${inner}${'}'.repeat(levels)}`;

describe('bodies', () => {
  const repeated = nested(5_000, `{${'"b":1,"b":2,'.repeat(9_000)}"c":1}`);
  const eachRepeated = `${'{"b":1,"b":2,"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`;

  it.each<[string, () => unknown]>([
    ['JSON that repeats members far down', () => parseJson(bytes(repeated))],
    ['JSON that repeats members on every level', () => parseJson(bytes(eachRepeated))],
    ['faults of JSON that repeats members far down', () => faultsOf(repeated)],
    ['faults of JSON that repeats members on every level', () => faultsOf(eachRepeated)],
    [
      'JSON with a byte that is no UTF-8',
      () => parseJson(Buffer.concat([bytes('"'), Buffer.alloc(12_000_000, 'x'), Buffer.from([0xff, 0x22])])),
    ],
    ['JSON of bytes that are no UTF-8', () => parseJson(Buffer.concat([bytes('"'), Buffer.alloc(12_000_000, 0xff), bytes('"')]))],
    ['YAML that ends among quotes', () => yamlFault(`a: [x${'\\"'.repeat(30_000)}`)],
  ])('%s', (_, run) => {
    expect(cpuOf(run)).toBeLessThan(MOST_CPU_MS);
  });

  it('counts what aliases repeat by its length', () => {
    const long = `a: &a ${'x'.repeat(20_000)}\nb: [${'*a, '.repeat(5_000)}]`;
    expect(yamlFault(long)).toBe('yaml: document contains excessive aliasing');
    expect(yamlFault(`a: &a {${'x'.repeat(20_000)}: 1}\nb: [${'*a, '.repeat(5_000)}]`)).toBe('yaml: document contains excessive aliasing');
    expect(yamlFault(`a: &a ${'x'.repeat(20_000)}\nb: [${'*a, '.repeat(100)}]`)).toBeUndefined();
  });

  it('names a hundred repeated members, by paths that somebody would read', () => {
    const { duplicates } = parseJson(bytes(eachRepeated));
    expect(duplicates).toHaveLength(100);
    expect(parseJson(bytes(`{"${'x'.repeat(100_000)}":{"a":1,"a":1}}`)).duplicates[0]?.length).toBeLessThan(2_000);
  });
});

describe('lists', () => {
  const many = Array.from({ length: 40_000 }, (_, n) => n);
  const time = '2024-01-01T00:00:00Z';
  const entries = many.slice(0, 16_000).map((n) => ({
    manager: `m${n}`,
    operation: 'Update',
    apiVersion: 'v1',
    time,
    fieldsType: 'FieldsV1',
    fieldsV1: { [`f:${n}`]: {} },
  }));
  const view: VersionView = { shape: shapeOf('core.v1.ConfigMap'), resets: {}, convert: (object) => object, back: (object) => object };
  const ownership: Ownership = { own: view, in: () => view };
  const updater: Manager = { name: 'x', operation: 'Update', apiVersion: 'v1', subresource: '' };
  const front = Array.from({ length: 10_000 }, () => ({ op: 'add', path: '/a/0', value: 1 }));

  it.each<[string, () => unknown]>([
    ['managers that a client names', () => parseEntries(entries)],
    ['managers that are merged', () => recordUpdate(ownership, {}, {}, readEntries(entries), updater, time)],
    ['owners with one uid', () => duplicateFree({ ownerReferences: many.map((n) => ({ uid: 'a', name: `n${n}` })) })],
    [
      'a patch at the front of a long list',
      () => applyJsonPatch({ a: Array<number>(1_000_000).fill(0) }, parseOperations(front).operations),
    ],
  ])('%s', (_, run) => {
    expect(cpuOf(run)).toBeLessThan(MOST_CPU_MS);
  });
});

function yamlFault(text: string): string | undefined {
  try {
    composeYaml(text);
    return undefined;
  } catch (error) {
    if (error instanceof SyntaxFault) return error.message;
    throw error;
  }
}

function faultsOf(text: string): readonly string[] {
  return fieldFaults(parseJson(bytes(text)), ['a.a.a.a.x', 'a.b'], 'strict');
}

describe('rules', () => {
  const controllers = Array.from({ length: 4_000 }, (_, n) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    name: `n${n}`,
    uid: `${n}`,
    controller: true,
  }));
  const many = Array.from({ length: 20_000 }, (_, n) => ({ name: `n${n}`, key: `k${n}`, volumeMounts: [] }));

  it.each<[string, () => unknown]>([
    [
      'owners that are all the controller',
      () => validateMetadata({ name: 'a', ownerReferences: controllers }, { name: () => [], prefix: () => [], namespaced: false }),
    ],
    ['a pod whose tolerations stay', () => podChangeErrors({ spec: { tolerations: many } }, { spec: { tolerations: many } })],
    [
      'mounts beside devices',
      () => {
        const mounts = many.map(({ name }) => ({ name, mountPath: `/${name}` }));
        const devices = many.map(({ key }) => ({ name: key, devicePath: `/${key}` }));
        checkMounts({ volumeMounts: mounts, volumeDevices: devices }, 'c', new Map(), []);
      },
    ],
  ])('%s', (_, run) => {
    expect(cpuOf(run)).toBeLessThan(MOST_CPU_MS);
  });
});
