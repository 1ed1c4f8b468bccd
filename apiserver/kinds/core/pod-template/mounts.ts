/** Where containers mount volumes and see block devices. */
import { forbiddenField, invalidValue, notFoundValue, unsupportedValue, requiredValue } from '../../../../shared/api/errors/field-error';
import { checkChoice, checkLocalPath, isSet, type Errors } from '../../rules/checks';
import type { CoreV1Container, CoreV1Volume, CoreV1VolumeDevice, CoreV1VolumeMount } from '../../../../shared/api/types/generated/members';

/** The good volumes of a pod, by name. */
export type Volumes = ReadonlyMap<string, CoreV1Volume>;

const PROPAGATIONS = ['Bidirectional', 'HostToContainer', 'None'];
const RECURSIONS = ['Disabled', 'Enabled', 'IfPossible'];

export function checkMounts(container: CoreV1Container, place: string, volumes: Volumes, errors: Errors): void {
  const mounts = container.volumeMounts ?? [];
  const devices = container.volumeDevices ?? [];
  if (mounts.length === 0 && devices.length === 0) return;
  const attached = taken(devices.map((device) => ({ name: device.name ?? '', path: device.devicePath ?? '' })));
  const mounted = taken(mounts.map((mount) => ({ name: mount.name ?? '', path: mount.mountPath ?? '' })));
  const privileged = container.securityContext?.privileged === true;
  const seen = new Set<string>();
  mounts.forEach((mount, index) => {
    const field = `${place}.volumeMounts[${index}]`;
    const name = mount.name ?? '';
    const path = mount.mountPath ?? '';
    if (name === '') errors.push(requiredValue(`${field}.name`));
    if (!volumes.has(name)) errors.push(notFoundValue(`${field}.name`, name));
    if (path === '') errors.push(requiredValue(`${field}.mountPath`));
    if (seen.has(path)) errors.push(invalidValue(`${field}.mountPath`, path, 'must be unique'));
    seen.add(path);
    checkShared(field, { name, path, member: 'mountPath' }, attached, 'volumeDevices', errors);
    // From here on the place has no index (upstream behaviour).
    checkSubPaths(mount, field, `${place}.volumeMounts`, errors);
    checkPropagation(mount, `${place}.volumeMounts`, privileged, errors);
    checkRecursion(mount, `${place}.volumeMounts`, errors);
  });
  checkDevices(devices, place, mounted, volumes, errors);
}

interface Attachment {
  readonly name: string;
  readonly path: string;
}

interface Taken {
  readonly names: ReadonlySet<string>;
  readonly paths: ReadonlySet<string>;
}

const taken = (others: readonly Attachment[]): Taken => ({
  names: new Set(others.map(({ name }) => name)),
  paths: new Set(others.map(({ path }) => path)),
});

/** A volume and a path are mounted or a device, not both. */
function checkShared(
  field: string,
  { name, path, member }: Attachment & { readonly member: string },
  others: Taken,
  list: string,
  errors: Errors,
): void {
  if (others.names.has(name)) {
    errors.push(invalidValue(`${field}.name`, name, `must not already exist in ${list}`));
  }
  if (others.paths.has(path)) {
    errors.push(invalidValue(`${field}.${member}`, path, `must not already exist as a path in ${list}`));
  }
}

function checkSubPaths(mount: CoreV1VolumeMount, field: string, place: string, errors: Errors): void {
  const path = mount.subPath ?? '';
  const expression = mount.subPathExpr ?? '';
  if (path !== '') checkLocalPath(path, `${place}.subPath`, errors);
  if (expression === '') return;
  if (path !== '') errors.push(invalidValue(`${field}.subPathExpr`, expression, 'subPathExpr and subPath are mutually exclusive'));
  checkLocalPath(expression, `${place}.subPathExpr`, errors);
}

function checkPropagation(mount: CoreV1VolumeMount, place: string, privileged: boolean, errors: Errors): void {
  checkChoice(mount, 'mountPropagation', place, PROPAGATIONS, errors);
  if (mount.mountPropagation === 'Bidirectional' && !privileged) {
    const text = 'Bidirectional mount propagation is available only to privileged containers';
    errors.push(forbiddenField(`${place}.mountPropagation`, text));
  }
}

function checkRecursion(mount: CoreV1VolumeMount, place: string, errors: Errors): void {
  const wanted = mount.recursiveReadOnly;
  const field = `${place}.recursiveReadOnly`;
  if (wanted === undefined || wanted === 'Disabled') return;
  if (!RECURSIONS.includes(wanted)) {
    errors.push(unsupportedValue(field, wanted, RECURSIONS));
    return;
  }
  if (mount.readOnly !== true) errors.push(forbiddenField(field, 'may only be specified when readOnly is true'));
  const propagation = mount.mountPropagation;
  if (propagation !== undefined && propagation !== 'None') {
    errors.push(forbiddenField(field, 'may only be specified when mountPropagation is None or not specified'));
  }
}

const BLOCK_SOURCES = ['persistentVolumeClaim', 'ephemeral'] as const;

function checkDevices(devices: readonly CoreV1VolumeDevice[], place: string, mounted: Taken, volumes: Volumes, errors: Errors): void {
  const names = new Set<string>();
  const paths = new Set<string>();
  devices.forEach((device, index) => {
    const field = `${place}.volumeDevices[${index}]`;
    const name = device.name ?? '';
    const path = device.devicePath ?? '';
    const volume = volumes.get(name);
    if (name === '') errors.push(requiredValue(`${field}.name`));
    if (names.has(name)) errors.push(invalidValue(`${field}.name`, name, 'must be unique'));
    if (volume === undefined) errors.push(notFoundValue(`${field}.name`, name));
    else if (!BLOCK_SOURCES.some((source) => isSet(volume, source))) {
      const text = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode';
      errors.push(invalidValue(`${field}.name`, name, text));
    }
    if (path === '') errors.push(requiredValue(`${field}.devicePath`));
    if (paths.has(path)) errors.push(invalidValue(`${field}.devicePath`, path, 'must be unique'));
    else if (path.split('/').includes('..')) errors.push(invalidValue(`${field}.devicePath`, path, "can not contain backsteps ('..')"));
    checkShared(field, { name, path, member: 'devicePath' }, mounted, 'volumeMounts', errors);
    names.add(name);
    paths.add(path);
  });
}
