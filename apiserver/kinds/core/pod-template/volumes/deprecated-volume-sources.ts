/** Warns about deprecated volume sources of Pods and PersistentVolumes. */
import { ownMember, type JsonObject } from '../../../../../shared/values/json';

/** `shown` is upstream's spelling of the member when it differs. */
const DEPRECATED_SOURCES: readonly (readonly [member: string, text: string, shown?: string])[] = [
  ['photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'deprecated in v1.11'],
  ['scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'deprecated in v1.22, non-functional in v1.25+', 'storageOS'],
  ['quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];

/** `excluded` sources get no warning. */
export function warnOfDeprecatedSources(volume: JsonObject, fieldPath: string, warnings: string[], excluded?: ReadonlySet<string>): void {
  for (const [member, text, shown = member] of DEPRECATED_SOURCES) {
    if (ownMember(volume, member) !== undefined && excluded?.has(member) !== true) warnings.push(`${fieldPath}.${shown}: ${text}`);
  }
}
