/** Warns about deprecated volume sources of Pods and PersistentVolumes, in upstream's words. Rejects nothing. */
import { ownMember, type JsonObject } from '../../../../../shared/values/json';

interface DeprecatedSource {
  readonly member: string;
  readonly text: string;
  /** Upstream's spelling of the member, when it differs. */
  readonly shown?: string;
}

const DEPRECATED_SOURCES: readonly DeprecatedSource[] = [
  { member: 'photonPersistentDisk', text: 'deprecated in v1.11, non-functional in v1.16+' },
  { member: 'gitRepo', text: 'deprecated in v1.11' },
  { member: 'scaleIO', text: 'deprecated in v1.16, non-functional in v1.22+' },
  { member: 'flocker', text: 'deprecated in v1.22, non-functional in v1.25+' },
  { member: 'storageos', text: 'deprecated in v1.22, non-functional in v1.25+', shown: 'storageOS' },
  { member: 'quobyte', text: 'deprecated in v1.22, non-functional in v1.25+' },
  { member: 'glusterfs', text: 'deprecated in v1.25, non-functional in v1.26+' },
  { member: 'cephfs', text: 'deprecated in v1.28, non-functional in v1.31+' },
  { member: 'rbd', text: 'deprecated in v1.28, non-functional in v1.31+' },
];

/** Adds a warning for each deprecated source that the volume has, except for the `excluded` ones. */
export function warnOfDeprecatedSources(volume: JsonObject, fieldPath: string, warnings: string[], excluded?: ReadonlySet<string>): void {
  for (const { member, text, shown = member } of DEPRECATED_SOURCES) {
    if (ownMember(volume, member) !== undefined && excluded?.has(member) !== true) warnings.push(`${fieldPath}.${shown}: ${text}`);
  }
}
