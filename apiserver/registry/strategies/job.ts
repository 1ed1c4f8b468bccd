/** Job: a Job that brings no selector of its own gets one that only its own pods can match. */
import { objectAt, stringAt, type JsonObject } from '../../../shared/api/json';
import { metadataOf, readMetadata } from '../../../shared/api/object-meta';
import type { Strategy, StrategyContext } from './strategy';

export const job: Strategy = { prepareForCreate: generateSelector };

function generateSelector(object: JsonObject, { names }: StrategyContext): void {
  const spec = objectAt(object, 'spec');
  const template = spec === undefined ? undefined : objectAt(spec, 'template');
  if (spec === undefined || template === undefined || spec['manualSelector'] === true) return;
  const { uid, name } = identity(object);
  const labels = objectAt(metadataOf(template), 'labels') ?? {};
  metadataOf(template)['labels'] = Object.assign(labels, {
    [`batch.${names.prefix}/controller-uid`]: uid,
    [`batch.${names.prefix}/job-name`]: name,
    'controller-uid': uid,
    'job-name': name,
  });
  // Labels that a Job does not have it takes from its template, whatever they came from.
  const metadata = metadataOf(object);
  if (Object.keys(objectAt(metadata, 'labels') ?? {}).length === 0) metadata['labels'] = { ...objectAt(metadataOf(template), 'labels') };
  spec['selector'] = {
    ...objectAt(spec, 'selector'),
    matchLabels: { ...matchLabels(spec), [`batch.${names.prefix}/controller-uid`]: uid },
  };
}

function matchLabels(spec: JsonObject): JsonObject {
  return objectAt(objectAt(spec, 'selector') ?? {}, 'matchLabels') ?? {};
}

function identity(object: JsonObject): { readonly uid: string; readonly name: string } {
  const metadata = readMetadata(object);
  return { uid: stringAt(metadata, 'uid') ?? '', name: stringAt(metadata, 'name') ?? '' };
}
