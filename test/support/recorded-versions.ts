/** What is masked in the recorded objects of optional versions (versions/optional). */
import { isObject, type JsonArray, type JsonObject, type JsonValue } from '../../shared/values/json';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const AGE = /^\d+[smhdy][0-9smhdy]*$/;

/** What is new in every run is masked, and a Table is reduced to what it says of its one row. */
export function masked(object: JsonObject): JsonValue {
  if (object['kind'] === 'Table') return maskedTable(object);
  const shown = maskedObject(object);
  if (object['kind'] !== 'FlowSchema') return shown;
  // The reference keeps these up itself.
  const { status: _, ...rest } = shown;
  const { managedFields: __, ...metadata } = isObject(rest['metadata']) ? rest['metadata'] : {};
  return { ...rest, metadata };
}

function maskedTable({ rows, columnDefinitions }: JsonObject): JsonValue {
  const [row] = items(rows);
  const cells = Array.isArray(row?.['cells']) ? row['cells'] : [];
  return {
    cells: cells.map((cell) => (typeof cell === 'string' && AGE.test(cell) ? '<age>' : cell)),
    object: isObject(row?.['object']) ? maskedObject(row['object']) : null,
    columns: items(columnDefinitions).map(({ name }) => name ?? ''),
  };
}

function items(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function maskedObject(object: JsonObject): JsonObject {
  const made: JsonObject = {};
  for (const [member, value] of Object.entries(object)) {
    if (member === 'resourceVersion' && object['fieldPath'] === undefined) continue;
    made[member] = maskedMember(member, value);
  }
  return made;
}

function maskedMember(member: string, value: JsonValue): JsonValue {
  if (member === 'uid' && typeof value === 'string' && UUID.test(value)) return '<uid>';
  if ((member === 'creationTimestamp' || member === 'time') && value !== null && value !== '') return '<time>';
  if (Array.isArray(value)) return maskedList(member, value);
  return isObject(value) ? maskedObject(value) : value;
}

/** Who owns what is listed by time, which says nothing here. */
function maskedList(member: string, list: JsonArray): JsonArray {
  const shown = list.map((item) => (isObject(item) ? maskedObject(item) : item));
  return member === 'managedFields' ? shown.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : shown;
}
