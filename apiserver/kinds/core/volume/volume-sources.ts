/** What a PersistentVolume may be made of. Most sources are a pod's as well, and have its rule. */
import { forbiddenField, required, type FieldError } from '../../../../shared/api/errors/field-error';
import { objectAt, own, stringAt, type JsonObject } from '../../../../shared/values/json';
import { checkNoBacksteps, checkRequired, isSet, textAt, type Errors } from '../../rules/checks';
import { UNKNOWN_TARGET } from '../pod-template/iscsi';
import { all, checkDriverName, iscsi, needs, ruleOf, type SourceRule } from '../pod-template/volume-sources';

interface Source {
  readonly member: string;
  /** The name in messages, where it is not the member's. */
  readonly field?: string;
  /** It is mounted in a way that has options. */
  readonly takesOptions?: true;
  /** Absent = the rule of the source in a pod. */
  readonly rule?: SourceRule;
}

/** A namespace that is named has a name. */
const namespaceIsNamed =
  (member: string): SourceRule =>
  (source, place, errors) => {
    if (stringAt(source, member) === '') errors.push(required(`${place}.${member}`));
  };

/** In upstream's order, which decides which of two sources is one too many. */
export const SOURCES: readonly Source[] = [
  { member: 'hostPath' },
  { member: 'gcePersistentDisk', field: 'persistentDisk', takesOptions: true },
  { member: 'awsElasticBlockStore', takesOptions: true },
  { member: 'glusterfs', takesOptions: true, rule: all(needs('endpoints', 'path'), namespaceIsNamed('endpointsNamespace')) },
  { member: 'flocker' },
  { member: 'nfs', takesOptions: true },
  { member: 'rbd', takesOptions: true },
  { member: 'quobyte', takesOptions: true },
  { member: 'cephfs', takesOptions: true },
  { member: 'iscsi', takesOptions: true, rule: iscsi(UNKNOWN_TARGET.ofVolume) },
  { member: 'cinder', takesOptions: true, rule: all(needs('volumeID'), secretIsPlaced('secretRef')) },
  { member: 'fc' },
  { member: 'flexVolume' },
  { member: 'azureFile', takesOptions: true, rule: all(needs('secretName', 'shareName'), namespaceIsNamed('secretNamespace')) },
  { member: 'vsphereVolume', takesOptions: true },
  { member: 'photonPersistentDisk', takesOptions: true },
  { member: 'portworxVolume' },
  { member: 'azureDisk', takesOptions: true },
  { member: 'scaleIO' },
  { member: 'local', rule: checkLocal },
  { member: 'storageos', rule: needs('volumeName') },
  { member: 'csi', rule: checkDriver },
];

/** The sources of `spec`; more than one is refused, and so is none. */
export function checkSources(spec: JsonObject, errors: Errors): void {
  const given = SOURCES.filter(({ member }) => isSet(spec, member));
  if (given.length === 0) errors.push(required('spec', 'must specify a volume type'));
  given.forEach(({ member, field = member, rule = ruleOf(member) }, index) => {
    const place = `spec.${field}`;
    if (index > 0) errors.push(forbiddenField(place, 'may not specify more than 1 volume type'));
    else rule?.(objectAt(spec, member) ?? {}, place, errors);
  });
}

/** The annotation with mount options, where it means nothing to the source of `spec`. */
export function mountOptionErrors(spec: JsonObject, annotation: string | undefined): readonly FieldError[] {
  const takesThem = SOURCES.some(({ member, takesOptions }) => takesOptions === true && own(spec, member) !== undefined);
  if (annotation === undefined || takesThem) return [];
  return [forbiddenField(`metadata.annotations.${annotation}`, 'may not specify mount options for this volume type')];
}

function checkLocal(source: JsonObject, place: string, errors: Errors): void {
  checkRequired(source, 'path', place, errors);
  checkNoBacksteps(textAt(source, 'path'), `${place}.path`, errors);
}

/** Upstream does not look at the reference for staging. */
const DRIVER_SECRETS = ['controllerPublishSecretRef', 'controllerExpandSecretRef', 'nodePublishSecretRef', 'nodeExpandSecretRef'];

function checkDriver(source: JsonObject, place: string, errors: Errors): void {
  checkDriverName(source, place, errors);
  checkRequired(source, 'volumeHandle', place, errors);
  for (const member of DRIVER_SECRETS) secretIsPlaced(member)(source, place, errors);
}

/** A reference to a Secret from outside any namespace names that of the Secret. */
function secretIsPlaced(member: string): SourceRule {
  return (source, place, errors) => {
    const secret = objectAt(source, member);
    if (secret !== undefined) needs('name', 'namespace')(secret, `${place}.${member}`, errors);
  };
}
