/** What a PersistentVolume may be made of: a row for each source, with what it needs. */
import { forbiddenField, invalidAs, invalidValue, notSupported, required, tooLong, type FieldError } from '../../../shared/api/field-error';
import { objectAt, own, stringAt, type JsonObject } from '../../../shared/api/json';
import { dnsSubdomain } from '../../../shared/api/names';
import { stringsAt } from '../../../shared/api/object-meta';
import { misnamed, numberAt, wanting } from './field-rules';

interface Source {
  readonly member: string;
  /** The name in messages, where it is not the member's. */
  readonly place?: string;
  /** It is mounted in a way that has options. */
  readonly takesOptions?: true;
  /** Members that have to be there, in upstream's order. */
  readonly wants?: readonly string[];
  readonly check?: (source: JsonObject, place: string) => readonly FieldError[];
}

/** In upstream's order, which decides which of two sources is one too many. */
export const SOURCES: readonly Source[] = [
  { member: 'hostPath', wants: ['path'], check: hostPathErrors },
  {
    member: 'gcePersistentDisk',
    takesOptions: true,
    place: 'persistentDisk',
    wants: ['pdName'],
    check: (source, place) => boundErrors(source, 'partition', place, 1, 255),
  },
  {
    member: 'awsElasticBlockStore',
    takesOptions: true,
    wants: ['volumeID'],
    check: (source, place) => boundErrors(source, 'partition', place, 1, 255),
  },
  {
    member: 'glusterfs',
    takesOptions: true,
    wants: ['endpoints', 'path'],
    check: (source, place) => givenEmpty(source, 'endpointsNamespace', place),
  },
  { member: 'flocker', check: flockerErrors },
  { member: 'nfs', takesOptions: true, wants: ['server', 'path'], check: nfsErrors },
  {
    member: 'rbd',
    takesOptions: true,
    check: (source, place) => [...listWanted(source, 'monitors', place), ...wanting(source, 'image', place)],
  },
  { member: 'quobyte', takesOptions: true, check: quobyteErrors },
  { member: 'cephfs', takesOptions: true, check: (source, place) => listWanted(source, 'monitors', place) },
  { member: 'iscsi', takesOptions: true, wants: ['targetPortal'], check: iscsiErrors },
  { member: 'cinder', takesOptions: true, wants: ['volumeID'], check: (source, place) => secretErrors(source, 'secretRef', place) },
  { member: 'fc', check: fibreErrors },
  { member: 'flexVolume', wants: ['driver'], check: flexErrors },
  {
    member: 'azureFile',
    takesOptions: true,
    wants: ['secretName', 'shareName'],
    check: (source, place) => givenEmpty(source, 'secretNamespace', place),
  },
  { member: 'vsphereVolume', takesOptions: true, wants: ['volumePath'] },
  { member: 'photonPersistentDisk', takesOptions: true, wants: ['pdID'] },
  { member: 'portworxVolume', wants: ['volumeID'] },
  { member: 'azureDisk', takesOptions: true, wants: ['diskName', 'diskURI'], check: azureDiskErrors },
  { member: 'scaleIO', wants: ['gateway', 'system', 'volumeName'] },
  { member: 'local', wants: ['path'], check: (source, place) => upwards(stringAt(source, 'path') ?? '', `${place}.path`) },
  { member: 'storageos', wants: ['volumeName'] },
  { member: 'csi', check: csiErrors },
];

/** The sources of `spec`; more than one is refused, and so is none. */
export function sourceErrors(spec: JsonObject): readonly FieldError[] {
  const given = SOURCES.filter(({ member }) => own(spec, member) !== undefined);
  if (given.length === 0) return [required('spec', 'must specify a volume type')];
  return given.flatMap(({ member, place = member, wants = [], check }, index) => {
    const field = `spec.${place}`;
    if (index > 0) return [forbiddenField(field, 'may not specify more than 1 volume type')];
    const source = objectAt(spec, member) ?? {};
    return [...wants.flatMap((wanted) => wanting(source, wanted, field)), ...(check?.(source, field) ?? [])];
  });
}

/** Whether the annotation with mount options means anything to the sources of `spec`. */
export const takesMountOptions = (spec: JsonObject): boolean =>
  SOURCES.some(({ member, takesOptions }) => takesOptions === true && own(spec, member) !== undefined);

function boundErrors(source: JsonObject, member: string, place: string, least: number, most: number): readonly FieldError[] {
  const value = numberAt(source, member);
  // 0 is what an absent number is.
  if (value === 0 || (value >= least && value <= most)) return [];
  return [invalidAs(`${place}.${member}`, String(value), `must be between ${least} and ${most}, inclusive`)];
}

const givenEmpty = (source: JsonObject, member: string, place: string): readonly FieldError[] =>
  stringAt(source, member) === '' ? [required(`${place}.${member}`)] : [];

const listWanted = (source: JsonObject, member: string, place: string): readonly FieldError[] =>
  stringsAt(source, member).length === 0 ? [required(`${place}.${member}`)] : [];

/** A path must not lead out of where it begins. */
const upwards = (path: string, field: string): readonly FieldError[] =>
  path.split('/').includes('..') ? [invalidValue(field, path, "must not contain '..'")] : [];

const HOST_PATH_TYPES = ['', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket'];

function hostPathErrors(source: JsonObject, place: string): readonly FieldError[] {
  const path = stringAt(source, 'path') ?? '';
  if (path === '') return [];
  const type = stringAt(source, 'type') ?? '';
  const ofType = HOST_PATH_TYPES.includes(type) ? [] : [notSupported(`${place}.type`, type, HOST_PATH_TYPES)];
  return [...upwards(path, `${place}.path`), ...ofType];
}

function flockerErrors(source: JsonObject, place: string): readonly FieldError[] {
  const [name, uuid] = [stringAt(source, 'datasetName') ?? '', stringAt(source, 'datasetUUID') ?? ''];
  if (name === '' && uuid === '') return [required(place, 'one of datasetName and datasetUUID is required')];
  if (name !== '' && uuid !== '')
    return [invalidValue(place, 'resource', 'datasetName and datasetUUID can not be specified simultaneously')];
  return name.includes('/') ? [invalidValue(`${place}.datasetName`, name, "must not contain '/'")] : [];
}

function nfsErrors(source: JsonObject, place: string): readonly FieldError[] {
  const path = stringAt(source, 'path') ?? '';
  return path.startsWith('/') ? [] : [invalidValue(`${place}.path`, path, 'must be an absolute path')];
}

function quobyteErrors(source: JsonObject, place: string): readonly FieldError[] {
  const pairs = 'must be a host:port pair or multiple pairs separated by commas';
  const registry = stringAt(source, 'registry') ?? '';
  const errors: FieldError[] = [];
  if (registry === '') errors.push(required(`${place}.registry`, pairs));
  else if (registry.length >= 65 || !registry.split(',').every((pair) => /^[^:]+:[^:]+$/.test(pair)))
    errors.push(invalidValue(`${place}.registry`, registry, pairs));
  return [...errors, ...wanting(source, 'volume', place)];
}

const QUALIFIED_NAME = /^iqn\.\d{4}-\d{2}\.([a-z0-9-_.]+)(:[^,;*&$|\s]+)$/;
const OTHER_NAME = /^(eui\.[0-9A-Fa-f]{16}|naa\.[0-9A-Fa-f]{32})$/;
const isTargetName = (name: string): boolean => QUALIFIED_NAME.test(name) || OTHER_NAME.test(name);

function iscsiErrors(source: JsonObject, place: string): readonly FieldError[] {
  const name = stringAt(source, 'iqn') ?? '';
  const errors: FieldError[] = [];
  if (name === '') errors.push(required(`${place}.iqn`));
  else if (!isTargetName(name)) errors.push(invalidValue(`${place}.iqn`, name, 'must be valid format'));
  errors.push(...lunErrors(source, place));
  const asksForSecret = own(source, 'chapAuthDiscovery') === true || own(source, 'chapAuthSession') === true;
  if (asksForSecret && objectAt(source, 'secretRef') === undefined) errors.push(required(`${place}.secretRef`));
  const initiator = stringAt(source, 'initiatorName');
  if (initiator !== undefined && !isTargetName(initiator))
    errors.push(invalidValue(`${place}.initiatorname`, initiator, 'must be valid format'));
  return errors;
}

const lunErrors = (source: JsonObject, place: string): readonly FieldError[] => boundErrors(source, 'lun', place, 0, 255);

function fibreErrors(source: JsonObject, place: string): readonly FieldError[] {
  const targets = stringsAt(source, 'targetWWNs');
  const ids = stringsAt(source, 'wwids');
  if (targets.length === 0 && ids.length === 0)
    return [required(`${place}.targetWWNs`, 'must specify either targetWWNs or wwids, but not both')];
  if (targets.length > 0 && ids.length > 0)
    return [invalidValue(`${place}.targetWWNs`, targets, 'targetWWNs and wwids can not be specified simultaneously')];
  if (targets.length === 0) return [];
  return own(source, 'lun') === undefined
    ? [required(`${place}.lun`, 'lun is required if targetWWNs is specified')]
    : lunErrors(source, place);
}

function flexErrors(source: JsonObject, place: string): readonly FieldError[] {
  return Object.keys(objectAt(source, 'options') ?? {}).flatMap((name) => {
    const domain = name.split('/', 1)[0] ?? '';
    if (!name.includes('/') || !RESERVED.test(domain)) return [];
    return [invalidValue(`${place}.options[${name}]`, name, 'kubernetes.io and k8s.io namespaces are reserved')];
  });
}

const RESERVED = /(?:^|\.)(?:kubernetes|platform|k8s)\.io$/;

const BLOB = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';
const MANAGED = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';

function azureDiskErrors(source: JsonObject, place: string): readonly FieldError[] {
  const address = stringAt(source, 'diskURI') ?? '';
  const isManaged = stringAt(source, 'kind') === 'Managed';
  const isGood = isManaged ? address.startsWith('/subscriptions') : address.startsWith('https://');
  return isGood ? [] : [notSupported(`${place}.diskURI`, address, [isManaged ? MANAGED : BLOB])];
}

const DRIVER_BYTES = 63;
/** Upstream does not look at the reference for staging. */
const CSI_SECRETS = ['controllerPublishSecretRef', 'controllerExpandSecretRef', 'nodePublishSecretRef', 'nodeExpandSecretRef'];

function csiErrors(source: JsonObject, place: string): readonly FieldError[] {
  const driver = stringAt(source, 'driver') ?? '';
  const errors: FieldError[] = driver === '' ? [required(`${place}.driver`)] : [];
  if (Buffer.byteLength(driver) > DRIVER_BYTES) errors.push(tooLong(`${place}.driver`, DRIVER_BYTES));
  errors.push(...misnamed(driver.toLowerCase(), `${place}.driver`, dnsSubdomain), ...wanting(source, 'volumeHandle', place));
  return [...errors, ...CSI_SECRETS.flatMap((member) => secretErrors(source, member, place))];
}

function secretErrors(source: JsonObject, member: string, place: string): readonly FieldError[] {
  const secret = objectAt(source, member);
  return secret === undefined ? [] : ['name', 'namespace'].flatMap((wanted) => wanting(secret, wanted, `${place}.${member}`));
}
