/** DaemonSet: the number of its template's versions, which stands in an annotation. */
import { equalJson, objectAt, own, stringAt, type JsonObject } from '../../../shared/api/json';
import { metadataOf, readMetadata } from '../../../shared/api/object-meta';
import type { Strategy } from './strategy';

const ANNOTATION = 'deprecated.daemonset.template.generation';

export const daemonSet: Strategy = {
  // Who leaves the number out has said 0, and owns it then (upstream behaviour).
  mirror: (object) => setTemplateGeneration(object, templateGeneration(object) ?? '0'),
  prepareForCreate: (object) => setTemplateGeneration(object, '1'),
  update: {
    prepare(object, old) {
      const was = templateGeneration(old) ?? '1';
      setTemplateGeneration(object, equalJson(template(object), template(old)) ? was : String(Number(was) + 1));
    },
  },
  status: { prepare: (object, old) => setTemplateGeneration(object, templateGeneration(old) ?? '1') },
};

function templateGeneration(object: JsonObject): string | undefined {
  return stringAt(objectAt(readMetadata(object), 'annotations') ?? {}, ANNOTATION);
}

function template(object: JsonObject): JsonObject {
  const found = own(objectAt(object, 'spec') ?? {}, 'template');
  return { found: found ?? null };
}

function setTemplateGeneration(object: JsonObject, count: string): void {
  const metadata = metadataOf(object);
  metadata['annotations'] = { ...objectAt(metadata, 'annotations'), [ANNOTATION]: count };
}
