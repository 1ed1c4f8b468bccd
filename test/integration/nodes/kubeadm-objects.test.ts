/** What `platform` creates for joining nodes and add-ons, compared with the objects that kubeadm 1.31.1 creates. */
import { load } from 'js-yaml';
import { readRecording } from '../../replay/recording';
import { body, oneOf, shape, text, type Check } from '../../replay/shape';
import type { Body } from '../../replay/json-response';
import { useServer } from '../http/fixture';
import { prepareCluster, SERVICE_RANGES } from './prepared-cluster';

interface RecordedObject {
  readonly path: string;
  readonly object: Body;
}

const isHead: Check<unknown> = shape({ about: text, dialect: oneOf('kubernetes') }, {});
const isObjectCase: Check<RecordedObject> = shape({ path: text, object: body }, {});
const { cases } = readRecording('nodes/kubeadm-objects', isHead, isObjectCase);

/** kubeadm marks configuration that it may replace in an upgrade; this configuration is the administrator's. */
const UPGRADE_MARK = 'kubeadm.kubernetes.io/component-config.hash';
const GENERATED_METADATA = ['uid', 'resourceVersion', 'creationTimestamp', 'managedFields', 'generation'];
const AUTHORITY = /certificate-authority-data: \S+/;

const api = useServer(async () => ({ naming: 'kubernetes', serviceRanges: SERVICE_RANGES }));
beforeAll(() => prepareCluster(api));

/** Without what a server generates. */
function comparable({ status: _, ...object }: Record<string, unknown>): unknown {
  const metadata = Object.entries({ ...asRecord(object['metadata']) }).flatMap(([name, value]) => {
    if (GENERATED_METADATA.includes(name)) return [];
    if (name !== 'annotations') return [[name, value]];
    const annotations = Object.entries(asRecord(value)).filter(([key]) => key !== UPGRADE_MARK);
    return annotations.length === 0 ? [] : [[name, Object.fromEntries(annotations)]];
  });
  const { data } = object;
  return { ...object, metadata: Object.fromEntries(metadata), ...(data === undefined ? {} : { data: comparableData(asRecord(data)) }) };
}

const asRecord = (value: unknown): Record<string, unknown> => ({ ...(typeof value === 'object' ? value : undefined) });

/**
 * Kubeconfigs as objects: kubeadm writes their members in another order, and null for empty lists. It ends some documents
 * without a line feed.
 */
function comparableData(data: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(data).map(([key, text]) => [key, key.startsWith('kubeconfig') ? parseKubeconfig(String(text)) : String(text).trimEnd()]),
  );
}

function parseKubeconfig(text: string): Record<string, unknown> {
  const entries = Object.entries(asRecord(load(text.replace(AUTHORITY, 'certificate-authority-data: CA'))));
  return Object.fromEntries(entries.map(([name, value]) => [name, value ?? []]));
}

it.each(cases.map(({ path, object }) => [path, object] as const))('%s is that of kubeadm', async (path, object) => {
  expect(comparable(await api.read(path))).toEqual(comparable(object));
});
