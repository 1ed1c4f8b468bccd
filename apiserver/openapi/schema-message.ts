/**
 * Writes a published custom schema as a protobuf message, by the same tables as everything else (messages.ts), without making objects of it: texts are
 * copied from the definition. Decides nothing of what is published.
 */
import type { PublishedLevel, PublishedMember, PublishedSchema } from './published-schema';
import { isObject, own } from '../../shared/values/json';
import type { JsonIndex } from '../../shared/values/json-index';
import { MessageWriter, placesOf, tableOf, type Messages, type MessageShape, type MessageTable } from './message';
import type { MessageBytes } from './message-buffer';
import { yamlAt } from './yaml-texts';

export class SchemaMessageWriter {
  private readonly writer: MessageWriter;
  private readonly places: JsonIndex;

  constructor(
    private readonly messages: Messages,
    private readonly bytes: MessageBytes,
    private readonly schema: PublishedSchema,
  ) {
    this.writer = new MessageWriter(messages, bytes);
    this.places = schema.places;
  }

  /** All of it, as a field of that shape. */
  root(number: number, shape: MessageShape): void {
    this.below(number, shape, this.places.root, (table) => this.message(table, this.schema.root(), 0));
  }

  /** Fields stand in the order of the table, those without a row in theirs. */
  private message(table: MessageTable, level: PublishedLevel, depth: number): void {
    const { fields, extensions } = table;
    const rows = placesOf(table);
    let present = 0;
    for (let at = 0; at < level.count; at += 1) present |= 1 << (rows.get(level.members[at]?.name ?? '') ?? 31);
    for (let row = 0; present !== 0 && row < fields.length; row += 1) {
      const field = (present & (1 << row)) === 0 ? undefined : fields[row];
      const member = field === undefined ? undefined : memberOf(level, field[0]);
      if (field !== undefined && member !== undefined) this.member(field[1], field[2], member, depth);
    }
    if (extensions === undefined) return;
    for (let at = 0; at < level.count; at += 1) {
      const member = level.members[at];
      if (member?.name.startsWith('x-') === true) this.extension(extensions, member);
    }
  }

  private extension(number: number, { name, form, place, given }: PublishedMember): void {
    const start = this.writer.open(number);
    this.writer.text(1, name);
    if (form === 'plain') this.any(2, place);
    else this.writer.field(2, 'any', given);
    this.bytes.close(start);
  }

  /** What is null says nothing. */
  private member(number: number, shape: MessageShape, member: PublishedMember, depth: number): void {
    const { form, given, place } = member;
    if (form === 'given') this.writer.field(number, shape, given);
    else if (form === 'plain') {
      if (this.places.typeOf(place) !== 'null') this.plain(number, shape, place);
    } else if (typeof shape === 'object' && 'within' in shape) {
      const start = this.writer.open(number, this.lengthOf(place));
      this.member(shape.within, shape.shape, member, depth);
      this.bytes.close(start);
    } else if (form === 'schema') this.nested(number, shape, place, depth);
    else if (typeof shape === 'object' && 'entries' in shape) this.entries(number, shape.entries, member, depth);
  }

  private entries(number: number, shape: MessageShape, member: PublishedMember, depth: number): void {
    const names = this.schema.membersOf(member);
    for (let at = 0; at < names.length; at += 1) {
      const name = names[at] ?? 0;
      if (name < 0) this.givenEntry(number, shape, member, ~name);
      else this.entry(number, shape, name, depth);
    }
  }

  private entry(number: number, shape: MessageShape, name: number, depth: number): void {
    const place = this.places.valueOfName(name);
    const start = this.writer.open(number, this.lengthOf(place));
    this.text(1, name);
    this.nested(2, shape, place, depth);
    this.bytes.close(start);
  }

  private givenEntry(number: number, shape: MessageShape, { given }: PublishedMember, at: number): void {
    const besides = isObject(given) ? given : {};
    const text = Object.keys(besides)[at] ?? '';
    const start = this.writer.open(number);
    this.writer.text(1, text);
    this.writer.field(2, shape, own(besides, text) ?? null);
    this.bytes.close(start);
  }

  private nested(number: number, shape: MessageShape, place: number, depth: number): void {
    this.below(number, shape, place, (table) => this.message(table, this.schema.level(place, depth + 1), depth + 1));
  }

  /** A published schema is never a reference. */
  private below(number: number, shape: MessageShape, place: number, write: (table: MessageTable) => void): void {
    if (typeof shape !== 'object') return;
    const length = this.lengthOf(place);
    const start = this.writer.open(number, length);
    if ('orReference' in shape) {
      const inner = this.writer.open(1, length);
      write(tableOf(this.messages, shape.orReference));
      this.bytes.close(inner);
    } else if ('message' in shape) write(tableOf(this.messages, shape.message));
    this.bytes.close(start);
  }

  /** About as long is what is written of it. */
  private lengthOf(place: number): number {
    return place < 0 ? 0 : this.places.end(place) - this.places.start(place);
  }

  private plain(number: number, shape: MessageShape, place: number): void {
    const { places } = this;
    if (shape === 'string' && places.isText(place)) this.text(number, place);
    else if (shape === 'any') this.any(number, place);
    else if (typeof shape === 'object' && 'within' in shape) {
      const start = this.writer.open(number);
      this.plain(shape.within, shape.shape, place);
      this.bytes.close(start);
    } else if (typeof shape === 'object' && 'list' in shape && places.typeOf(place) === 'list') {
      for (let item = places.firstChild(place); item < places.nextSibling(place); item = places.nextSibling(item))
        this.plain(number, shape.list, item);
    } else this.writer.field(number, shape, places.toJson(place));
  }

  private text(number: number, place: number): void {
    if (this.places.isEscaped(place)) {
      this.writer.text(number, this.places.text(place));
      return;
    }
    const [start, end] = [this.places.start(place) + 1, this.places.end(place) - 1];
    this.writer.head(number);
    this.bytes.varint(end - start);
    this.bytes.copy(this.places.bytes, start, end);
  }

  private any(number: number, place: number): void {
    this.writer.yaml(number, yamlAt(this.places, place));
  }
}

function memberOf({ members, count }: PublishedLevel, name: string): PublishedMember | undefined {
  for (let at = 0; at < count; at += 1) if (members[at]?.name === name) return members[at];
  return undefined;
}
