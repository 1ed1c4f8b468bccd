/**
 * Validates the claim templates of ephemeral volumes: their metadata has only labels and annotations, and their spec
 * follows the rules of claims. Creating the claim is left to a controller.
 */
import { forbiddenField, requiredValue } from '../../../../../shared/api/errors/field-error';
import { isEmptyObject } from '../../../../../shared/values/json';
import { validateAnnotations, validateLabels } from '../../../../../shared/api/metadata/object-meta-rules';
import { checkClaimSpec } from '../../claim/claim-spec';
import type { Errors } from '../../../rules/checks';
import type { CoreV1EphemeralVolumeSource, MetaV1ObjectMeta } from '../../../../../shared/api/types/generated/members';

export function checkClaimTemplate(source: CoreV1EphemeralVolumeSource, sourcePath: string, errors: Errors): void {
  const template = source.volumeClaimTemplate;
  const fieldPath = `${sourcePath}.volumeClaimTemplate`;
  if (template === undefined) {
    errors.push(requiredValue(fieldPath));
    return;
  }
  checkMetadata(template.metadata ?? {}, `${fieldPath}.metadata`, errors);
  checkClaimSpec(template.spec ?? {}, undefined, `${fieldPath}.spec`, errors);
}

/** Metadata that a claim template must not set, in the order of messages, which spell the uid `uID`. */
const FORBIDDEN_METADATA: readonly (keyof MetaV1ObjectMeta)[] = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'ownerReferences',
  'finalizers',
  'managedFields',
];

function checkMetadata(metadata: MetaV1ObjectMeta, fieldPath: string, errors: Errors): void {
  if (isEmptyObject(metadata)) return;
  validateAnnotations(metadata.annotations ?? {}, `${fieldPath}.annotations`, errors);
  validateLabels(metadata.labels ?? {}, `${fieldPath}.labels`, errors);
  for (const member of FORBIDDEN_METADATA) {
    const shown = member === 'uid' ? 'uID' : member;
    if (isNonEmpty(metadata, member)) errors.push(forbiddenField(`${fieldPath}.${shown}`, 'cannot be set'));
  }
}

function isNonEmpty(object: MetaV1ObjectMeta, member: keyof MetaV1ObjectMeta): boolean {
  const value = object[member];
  if (value === undefined || value === null || value === '' || value === 0) return false;
  return !Array.isArray(value) || value.length > 0;
}
