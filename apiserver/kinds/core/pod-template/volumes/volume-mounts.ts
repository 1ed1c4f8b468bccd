/**
 * Validates volume mounts and volume devices of containers: each names a volume of the Pod, and no two use the same
 * path. The volumes themselves are left to volumes.ts.
 */
import { forbiddenField, invalidValue, notFoundValue, unsupportedValue, requiredValue } from '../../../../../shared/api/errors/field-error';
import { checkEnum, checkLocalPath, isSet, type Errors } from '../../../rules/checks';
import type {
  CoreV1Container,
  CoreV1Volume,
  CoreV1VolumeDevice,
  CoreV1VolumeMount,
} from '../../../../../shared/api/types/generated/members';

/** The valid volumes of a Pod, by name. */
export type VolumesByName = ReadonlyMap<string, CoreV1Volume>;

const PROPAGATION_MODES = ['Bidirectional', 'HostToContainer', 'None'];
const RECURSIVE_READ_ONLY_MODES = ['Disabled', 'Enabled', 'IfPossible'];

/** Validates mounts and devices. `fieldPath` is the path of the container. */
export function checkVolumeMounts(container: CoreV1Container, fieldPath: string, volumes: VolumesByName, errors: Errors): void {
  const mounts = container.volumeMounts ?? [];
  const devices = container.volumeDevices ?? [];
  if (mounts.length === 0 && devices.length === 0) return;
  const usedByDevices = collectUsedPaths(
    'volumeDevices',
    devices.map((device) => ({ name: device.name ?? '', path: device.devicePath ?? '' })),
  );
  const usedByMounts = collectUsedPaths(
    'volumeMounts',
    mounts.map((mount) => ({ name: mount.name ?? '', path: mount.mountPath ?? '' })),
  );
  const seen = new Set<string>();
  mounts.forEach((mount, index) => {
    const field = `${fieldPath}.volumeMounts[${index}]`;
    const name = mount.name ?? '';
    const path = mount.mountPath ?? '';
    if (name === '') errors.push(requiredValue(`${field}.name`));
    if (!volumes.has(name)) errors.push(notFoundValue(`${field}.name`, name));
    if (path === '') errors.push(requiredValue(`${field}.mountPath`));
    if (seen.has(path)) errors.push(invalidValue(`${field}.mountPath`, path, 'must be unique'));
    seen.add(path);
    checkNotUsed({ name, path, member: 'mountPath' }, usedByDevices, field, errors);
    // The following errors are reported at the list, without an index (upstream behaviour).
    const listPath = `${fieldPath}.volumeMounts`;
    checkSubPaths(mount, field, listPath, errors);
    checkPropagation(mount, container, listPath, errors);
    checkRecursiveReadOnly(mount, listPath, errors);
  });
  checkVolumeDevices(devices, { volumes, usedByMounts }, fieldPath, errors);
}

/** A volume name and the path at which a container uses the volume. */
interface VolumePath {
  readonly name: string;
  readonly path: string;
}

/** The volume names and the paths in one list of a container. */
interface UsedPaths {
  readonly list: 'volumeDevices' | 'volumeMounts';
  readonly names: ReadonlySet<string>;
  readonly paths: ReadonlySet<string>;
}

const collectUsedPaths = (list: UsedPaths['list'], used: readonly VolumePath[]): UsedPaths => ({
  list,
  names: new Set(used.map(({ name }) => name)),
  paths: new Set(used.map(({ path }) => path)),
});

/** A volume name or path must not be both a mount and a device. `member` is the one that has the path. */
function checkNotUsed(
  { name, path, member }: VolumePath & { readonly member: 'mountPath' | 'devicePath' },
  used: UsedPaths,
  fieldPath: string,
  errors: Errors,
): void {
  if (used.names.has(name)) {
    errors.push(invalidValue(`${fieldPath}.name`, name, `must not already exist in ${used.list}`));
  }
  if (used.paths.has(path)) {
    errors.push(invalidValue(`${fieldPath}.${member}`, path, `must not already exist as a path in ${used.list}`));
  }
}

/** `mountPath` is the field path of the mount, `listPath` that of the list, where most errors are reported. */
function checkSubPaths(mount: CoreV1VolumeMount, mountPath: string, listPath: string, errors: Errors): void {
  const path = mount.subPath ?? '';
  const expression = mount.subPathExpr ?? '';
  if (path !== '') checkLocalPath(path, `${listPath}.subPath`, errors);
  if (expression === '') return;
  if (path !== '') errors.push(invalidValue(`${mountPath}.subPathExpr`, expression, 'subPathExpr and subPath are mutually exclusive'));
  checkLocalPath(expression, `${listPath}.subPathExpr`, errors);
}

function checkPropagation(mount: CoreV1VolumeMount, { securityContext }: CoreV1Container, fieldPath: string, errors: Errors): void {
  checkEnum(mount, 'mountPropagation', fieldPath, PROPAGATION_MODES, errors);
  if (mount.mountPropagation === 'Bidirectional' && securityContext?.privileged !== true) {
    const text = 'Bidirectional mount propagation is available only to privileged containers';
    errors.push(forbiddenField(`${fieldPath}.mountPropagation`, text));
  }
}

function checkRecursiveReadOnly(mount: CoreV1VolumeMount, fieldPath: string, errors: Errors): void {
  const recursiveReadOnly = mount.recursiveReadOnly;
  const field = `${fieldPath}.recursiveReadOnly`;
  if (recursiveReadOnly === undefined || recursiveReadOnly === 'Disabled') return;
  if (!RECURSIVE_READ_ONLY_MODES.includes(recursiveReadOnly)) {
    errors.push(unsupportedValue(field, recursiveReadOnly, RECURSIVE_READ_ONLY_MODES));
    return;
  }
  if (mount.readOnly !== true) errors.push(forbiddenField(field, 'may only be specified when readOnly is true'));
  const propagation = mount.mountPropagation;
  if (propagation !== undefined && propagation !== 'None') {
    errors.push(forbiddenField(field, 'may only be specified when mountPropagation is None or not specified'));
  }
}

/** Volume sources that can be used as block devices. */
const BLOCK_SOURCES = ['persistentVolumeClaim', 'ephemeral'] as const;

function checkVolumeDevices(
  devices: readonly CoreV1VolumeDevice[],
  { volumes, usedByMounts }: { readonly volumes: VolumesByName; readonly usedByMounts: UsedPaths },
  fieldPath: string,
  errors: Errors,
): void {
  const names = new Set<string>();
  const paths = new Set<string>();
  devices.forEach((device, index) => {
    const field = `${fieldPath}.volumeDevices[${index}]`;
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
    checkNotUsed({ name, path, member: 'devicePath' }, usedByMounts, field, errors);
    names.add(name);
    paths.add(path);
  });
}
