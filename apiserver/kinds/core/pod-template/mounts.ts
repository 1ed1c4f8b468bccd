/** Where containers mount volumes and see block devices. */
import { forbiddenField, invalidValue, notFoundValue, notSupported, required } from '../../../../shared/api/errors/field-error';
import { objectAt, own, stringAt, type JsonObject } from '../../../../shared/values/json';
import { listed } from '../../rules/field-rules';
import { checkChoice, checkLocalPath, isSet, textAt, type Errors } from '../../rules/checks';

/** The good volumes of a pod, by name. */
export type Volumes = ReadonlyMap<string, JsonObject>;

const PROPAGATIONS = ['Bidirectional', 'HostToContainer', 'None'];
const RECURSIONS = ['Disabled', 'Enabled', 'IfPossible'];

export function checkMounts(container: JsonObject, place: string, volumes: Volumes, errors: Errors): void {
  const mounts = listed(container, 'volumeMounts');
  const devices = listed(container, 'volumeDevices');
  if (mounts.length === 0 && devices.length === 0) return;
  const privileged = own(objectAt(container, 'securityContext') ?? {}, 'privileged') === true;
  const seen = new Set<string>();
  const shared = taken(devices, 'devicePath');
  mounts.forEach((mount, index) => {
    const field = `${place}.volumeMounts[${index}]`;
    const name = textAt(mount, 'name');
    const path = textAt(mount, 'mountPath');
    if (name === '') errors.push(required(`${field}.name`));
    if (!volumes.has(name)) errors.push(notFoundValue(`${field}.name`, name));
    if (path === '') errors.push(required(`${field}.mountPath`));
    if (seen.has(path)) errors.push(invalidValue(`${field}.mountPath`, path, 'must be unique'));
    seen.add(path);
    checkShared(field, { name, path, member: 'mountPath' }, shared, 'volumeDevices', errors);
    // From here on the place has no index (upstream behaviour).
    checkSubPaths(mount, field, `${place}.volumeMounts`, errors);
    checkPropagation(mount, `${place}.volumeMounts`, privileged, errors);
    checkRecursion(mount, `${place}.volumeMounts`, errors);
  });
  checkDevices(devices, place, mounts, volumes, errors);
}

interface Attachment {
  readonly name: string;
  readonly path: string;
  readonly member: string;
}

interface Taken {
  readonly names: ReadonlySet<string>;
  readonly paths: ReadonlySet<string>;
}

const taken = (others: readonly JsonObject[], path: string): Taken => ({
  names: new Set(others.map((other) => textAt(other, 'name'))),
  paths: new Set(others.map((other) => textAt(other, path))),
});

/** A volume and a path are mounted or a device, not both. */
function checkShared(field: string, { name, path, member }: Attachment, others: Taken, list: string, errors: Errors): void {
  if (others.names.has(name)) {
    errors.push(invalidValue(`${field}.name`, name, `must not already exist in ${list}`));
  }
  if (others.paths.has(path)) {
    errors.push(invalidValue(`${field}.${member}`, path, `must not already exist as a path in ${list}`));
  }
}

function checkSubPaths(mount: JsonObject, field: string, place: string, errors: Errors): void {
  const path = textAt(mount, 'subPath');
  const expression = textAt(mount, 'subPathExpr');
  if (path !== '') checkLocalPath(path, `${place}.subPath`, errors);
  if (expression === '') return;
  if (path !== '') errors.push(invalidValue(`${field}.subPathExpr`, expression, 'subPathExpr and subPath are mutually exclusive'));
  checkLocalPath(expression, `${place}.subPathExpr`, errors);
}

function checkPropagation(mount: JsonObject, place: string, privileged: boolean, errors: Errors): void {
  checkChoice(mount, 'mountPropagation', place, PROPAGATIONS, errors);
  if (textAt(mount, 'mountPropagation') === 'Bidirectional' && !privileged) {
    const text = 'Bidirectional mount propagation is available only to privileged containers';
    errors.push(forbiddenField(`${place}.mountPropagation`, text));
  }
}

function checkRecursion(mount: JsonObject, place: string, errors: Errors): void {
  const wanted = stringAt(mount, 'recursiveReadOnly');
  const field = `${place}.recursiveReadOnly`;
  if (wanted === undefined || wanted === 'Disabled') return;
  if (!RECURSIONS.includes(wanted)) {
    errors.push(notSupported(field, wanted, RECURSIONS));
    return;
  }
  if (own(mount, 'readOnly') !== true) errors.push(forbiddenField(field, 'may only be specified when readOnly is true'));
  const propagation = stringAt(mount, 'mountPropagation');
  if (propagation !== undefined && propagation !== 'None') {
    errors.push(forbiddenField(field, 'may only be specified when mountPropagation is None or not specified'));
  }
}

const BLOCK_SOURCES = ['persistentVolumeClaim', 'ephemeral'];

function checkDevices(
  devices: readonly JsonObject[],
  place: string,
  mounts: readonly JsonObject[],
  volumes: Volumes,
  errors: Errors,
): void {
  const names = new Set<string>();
  const paths = new Set<string>();
  const shared = taken(mounts, 'mountPath');
  devices.forEach((device, index) => {
    const field = `${place}.volumeDevices[${index}]`;
    const name = textAt(device, 'name');
    const path = textAt(device, 'devicePath');
    const volume = volumes.get(name);
    if (name === '') errors.push(required(`${field}.name`));
    if (names.has(name)) errors.push(invalidValue(`${field}.name`, name, 'must be unique'));
    if (volume === undefined) errors.push(notFoundValue(`${field}.name`, name));
    else if (!BLOCK_SOURCES.some((source) => isSet(volume, source))) {
      const text = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode';
      errors.push(invalidValue(`${field}.name`, name, text));
    }
    if (path === '') errors.push(required(`${field}.devicePath`));
    if (paths.has(path)) errors.push(invalidValue(`${field}.devicePath`, path, 'must be unique'));
    else if (path.split('/').includes('..')) errors.push(invalidValue(`${field}.devicePath`, path, "can not contain backsteps ('..')"));
    checkShared(field, { name, path, member: 'devicePath' }, shared, 'volumeMounts', errors);
    names.add(name);
    paths.add(path);
  });
}
