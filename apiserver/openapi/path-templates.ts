/**
 * The paths of custom kinds as documents say them. They are the same for all kinds of one shape but for the kinds' words, so they are rendered and encoded once
 * for each shape, with gaps, and filled with the words of each kind.
 */
import { CUSTOM_TYPE, openApiName } from '../../shared/api/types';
import { OPENAPI_ROOT, type Dialect } from '../../shared/names/dialect';
import { renderPaths, spellingsOf, type CustomRow } from './documents';
import type { PartForm } from './forms';
import { MessageWriter } from './message';
import type { MessageBytes } from './message-bytes';
import { gap, MessageTemplate, TextTemplate, wordsFrom, type Words } from './message-template';
import { MESSAGES, PATHS } from './messages';
import { pathsOfShape, wordsOf, type KindWords, type PathShape } from './operations';
import { encodeJson } from './schema-json';

/** In the order of their gaps. */
const WORDS: readonly (keyof KindWords)[] = ['group', 'version', 'kind', 'resource', 'idKind', 'tag', 'idPrefix', 'type'];

const gapOf = (word: keyof KindWords): string => gap(WORDS.indexOf(word));

const GAPS: KindWords = {
  group: gapOf('group'),
  version: gapOf('version'),
  kind: gapOf('kind'),
  resource: gapOf('resource'),
  idKind: gapOf('idKind'),
  tag: gapOf('tag'),
  idPrefix: gapOf('idPrefix'),
  type: CUSTOM_TYPE + gapOf('type'),
};

export class PathTemplates {
  /** There are as many as shapes: few, as what can be said of a custom kind's operations is whether it has a namespace, a status and a scale. */
  private readonly known = new Map<string, MessageTemplate | TextTemplate>();

  /** The members of a document's paths that are about the kind, in the form's encoding. */
  write(row: CustomRow, dialect: Dialect, form: PartForm, bytes: MessageBytes): void {
    const shape: PathShape = { ...row, isCustom: true };
    let isFirst = true;
    for (const spelling of spellingsOf(row, dialect, form.version)) {
      if (!isFirst && form.media === 'json') bytes.plain(',');
      isFirst = false;
      this.template(shape, spelling, dialect, form).fill(wordsIn(row, spelling, dialect), bytes);
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

/** Of names, which need no escaping in JSON. */
function wordsIn(row: CustomRow, spelling: Dialect, dialect: Dialect): Words {
  const words = wordsOf(row, spelling);
  return wordsFrom(WORDS.map((word) => (word === 'type' ? openApiName(words.type, OPENAPI_ROOT[dialect]) : words[word])));
}
