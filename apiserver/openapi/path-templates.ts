/**
 * The paths of custom kinds as documents say them. They are the same for all kinds of one shape but for the kinds' words, so they are rendered and encoded once
 * for each shape, with gaps, and filled with the words of each kind.
 */
import { CUSTOM_TYPE_PREFIX, openApiName } from '../../shared/api/types';
import { OPENAPI_NAME_PREFIX, type Dialect } from '../../shared/names/dialect';
import { renderPaths, spellingsOf, type CustomRow } from './documents';
import type { PartForm } from './response-form';
import { MessageWriter } from './message';
import type { MessageBytes } from './message-buffer';
import { gap, MessageTemplate, TextTemplate, wordsFrom, type Words } from './message-template';
import { MESSAGES, PATHS } from './openapi-messages';
import { pathsOfShape, wordsOf, type KindWords, type PathShape } from './operations';
import { encodeJson } from './schema-json';
import { yamlOf } from './yaml-texts';

const GAPS: KindWords = {
  group: gap(0),
  version: gap(1),
  kind: gap(2),
  resource: gap(3),
  idKind: gap(4),
  tag: gap(5),
  idPrefix: gap(6),
  type: CUSTOM_TYPE_PREFIX + gap(7),
  on: { group: gap(8), version: gap(9), kind: gap(10) },
};

/** In the order of {@link GAPS}. They are names, which need no escaping in JSON; as YAML some of them are in quotation marks (`No`). */
function wordsIn(row: CustomRow, spelling: Dialect, dialect: Dialect, { media }: PartForm): Words {
  const { group, version, kind, resource, idKind, tag, idPrefix, type, on } = wordsOf(row, spelling);
  const value = media === 'json' ? (text: string) => text : (text: string) => yamlOf(text).trimEnd();
  const values = [on.group, on.version, on.kind].map(value);
  return wordsFrom([group, version, kind, resource, idKind, tag, idPrefix, openApiName(type, OPENAPI_NAME_PREFIX[dialect]), ...values]);
}

export class PathTemplates {
  /** There are as many as shapes: few, as what can be said of a custom kind's operations is whether it has a namespace, a status and a scale. */
  private readonly known = new Map<string, MessageTemplate | TextTemplate>();

  /** The members of a document's paths that are about the kind, in the form's encoding. */
  write(row: CustomRow, dialect: Dialect, form: PartForm, bytes: MessageBytes): void {
    const shape: PathShape = { ...row, isCustom: true };
    for (const [index, spelling] of spellingsOf(row, dialect, form.version).entries()) {
      if (index > 0 && form.media === 'json') bytes.plain(',');
      this.template(shape, spelling, dialect, form).fill(wordsIn(row, spelling, dialect, form), bytes);
    }
  }

  private template(shape: PathShape, spelling: Dialect, dialect: Dialect, form: PartForm): MessageTemplate | TextTemplate {
    const key = `${keyOf(shape)} ${spelling} ${dialect} ${form.version} ${form.media}`;
    let template = this.known.get(key);
    if (template === undefined) this.known.set(key, (template = templateOf(shape, spelling, dialect, form)));
    return template;
  }
}

function keyOf({ namespaced, verbs, subresources = [], returnsDeletedObject }: PathShape): string {
  const below = subresources.map((sub) => `${sub.name}:${sub.verbs.join()}:${sub.kind?.type ?? ''}`);
  return [namespaced, verbs.join(), returnsDeletedObject ?? '', ...below].join(';');
}

function templateOf(shape: PathShape, spelling: Dialect, dialect: Dialect, { version, media }: PartForm): MessageTemplate | TextTemplate {
  const paths = renderPaths(pathsOfShape(shape, GAPS, spelling), dialect, version);
  if (media === 'json') return new TextTemplate(encodeJson(paths).slice(1, -1));
  const [number, shapeOfPaths] = PATHS[version];
  const template = new MessageTemplate();
  new MessageWriter(MESSAGES[version], template).field(number, shapeOfPaths, paths);
  return template;
}
