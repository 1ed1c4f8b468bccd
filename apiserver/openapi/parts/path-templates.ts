/**
 * Renders the paths of custom kinds. The paths of two kinds with the same shape (scope, verbs, subresources) differ only
 * in names, so they are rendered and encoded once per shape, with gaps that are filled with the names of each kind.
 *
 * Two dialects are involved: `spelling` is that of the path and its group, `dialect` that of media types and of the names
 * of built-in types.
 */
import { CUSTOM_TYPE_PREFIX, openApiName } from '../../../shared/api/types';
import { OPENAPI_NAME_PREFIX, type Dialect } from '../../../shared/names/dialect';
import { renderPaths, pathDialectsOf, type CustomRow } from '../documents/documents';
import type { PartForm } from '../documents/response-form';
import { MessageWriter } from '../message/message';
import type { MessageBuffer } from '../../../shared/serialization/protobuf/message-buffer';
import { placeholderFor, MessageTemplate, TextTemplate, wordsFrom, type Words } from '../message/message-template';
import { OPENAPI_MESSAGES, PATHS_FIELD } from './openapi-messages';
import { operationNames, type OperationNames } from '../documents/operation-names';
import { pathsOfShape, type PathShape } from '../documents/operations';
import { encodeJson } from '../documents/schema-json';
import { yamlOf } from '../message/yaml-texts';

/** Placeholders in place of the names of a kind. The number of each is the index of its word in {@link wordsIn}. */
const PLACEHOLDERS: OperationNames = {
  group: placeholderFor(0),
  version: placeholderFor(1),
  kind: placeholderFor(2),
  resource: placeholderFor(3),
  idKind: placeholderFor(4),
  tag: placeholderFor(5),
  idPrefix: placeholderFor(6),
  type: CUSTOM_TYPE_PREFIX + placeholderFor(7),
  valueNames: { group: placeholderFor(8), version: placeholderFor(9), kind: placeholderFor(10) },
};

/**
 * The words for {@link PLACEHOLDERS}, in that order. Names need no escaping in JSON. The protobuf form has values of
 * extensions as YAML, where some are quoted (`"No"`); they are the last three words.
 */
function wordsIn(row: CustomRow, spelling: Dialect, dialect: Dialect, { media }: PartForm): Words {
  const { group, version, kind, resource, idKind, tag, idPrefix, type, valueNames } = operationNames(row, spelling);
  const encodeValue = (text: string): string => (media === 'json' ? text : yamlOf(text).trimEnd());
  const values = [valueNames.group, valueNames.version, valueNames.kind].map(encodeValue);
  const publishedType = openApiName(type, OPENAPI_NAME_PREFIX[dialect]);
  return wordsFrom([group, version, kind, resource, idKind, tag, idPrefix, publishedType, ...values]);
}

/** Keeps the templates of all shapes that have been used. */
export class PathTemplates {
  /**
   * One per shape. There are few shapes, because the operations of custom kinds differ only in scope, status and scale.
   */
  private readonly templates = new Map<string, MessageTemplate | TextTemplate>();

  /** Writes the path members of the kind in the encoding. */
  write(row: CustomRow, dialect: Dialect, form: PartForm, bytes: MessageBuffer): void {
    const shape: PathShape = { ...row, isCustom: true };
    for (const [index, spelling] of pathDialectsOf(row, dialect, form.version).entries()) {
      if (index > 0 && form.media === 'json') bytes.plain(',');
      this.template(shape, spelling, dialect, form).fill(wordsIn(row, spelling, dialect, form), bytes);
    }
  }

  private template(shape: PathShape, spelling: Dialect, dialect: Dialect, form: PartForm): MessageTemplate | TextTemplate {
    const key = `${keyOf(shape)} ${spelling} ${dialect} ${form.version} ${form.media}`;
    const existing = this.templates.get(key);
    if (existing !== undefined) return existing;
    const created = createTemplate(shape, spelling, dialect, form);
    this.templates.set(key, created);
    return created;
  }
}

/** Equal for shapes with the same operations. */
function keyOf({ namespaced, verbs, subresources = [], returnsDeletedObject }: PathShape): string {
  const subresourceKeys = subresources.map((sub) => `${sub.name}:${sub.verbs.join()}:${sub.kind?.type ?? ''}`);
  return [namespaced, verbs.join(), returnsDeletedObject ?? '', ...subresourceKeys].join(';');
}

/** Renders the paths with placeholders in place of names. */
function createTemplate(
  shape: PathShape,
  spelling: Dialect,
  dialect: Dialect,
  { version, media }: PartForm,
): MessageTemplate | TextTemplate {
  const paths = renderPaths(pathsOfShape(shape, PLACEHOLDERS, spelling), dialect, version);
  if (media === 'json') return new TextTemplate(encodeJson(paths).slice(1, -1));
  const [number, shapeOfPaths] = PATHS_FIELD[version];
  const template = new MessageTemplate();
  new MessageWriter(OPENAPI_MESSAGES[version], template).field(number, shapeOfPaths, paths);
  return template;
}
