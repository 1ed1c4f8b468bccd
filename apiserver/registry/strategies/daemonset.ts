/** DaemonSet: the number of its template's versions, which stands in an annotation. */
import { equalJson, objectAt, own, stringAt, type JsonObject } from '../../../shared/api/json';
import { metadataOf, readMetadata } from '../../../shared/api/object-meta';
import type { Strategy } from './strategy';

const ANNOTATION = 'deprecated.daemonset.template.generation';

export const daemonSet: Strategy = {
  prepareForCreate: (object) => setTemplateGeneration(object, '1'),
  update: {
    prepare(object, old) {
      const was = stringAt(objectAt(readMetadata(old), 'annotations') ?? {}, ANNOTATION) ?? '1';
      setTemplateGeneration(object, equalJson(template(object), template(old)) ? was : String(Number(was) + 1));
    },
  },
};

function template(object: JsonObject): JsonObject {
  const found = own(objectAt(object, 'spec') ?? {}, 'template');
  return { found: found ?? null };
}

function setTemplateGeneration(object: JsonObject, count: string): void {
  const metadata = metadataOf(object);
  metadata['annotations'] = { ...objectAt(metadata, 'annotations'), [ANNOTATION]: count };
}
