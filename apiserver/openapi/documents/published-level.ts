/**
 * The members of one published schema, in the order in which they are written. Levels are reused for many schemas, so that
 * large definitions are published without an object for each schema.
 */
import type { JsonObject, JsonValue } from '../../../shared/values/json';

/** One member of a published schema. Mutable, because it is reused. */
export interface PublishedMember {
  name: string;
  /**
   * `plain`: unchanged from the definition. `schema`: a nested schema. `schemas`: the schemas of properties. `given`: the
   * value in `given`.
   */
  form: 'given' | 'plain' | 'schema' | 'schemas';
  /** The index of the value in the definition's JSON; -1 for the form `given`, and for `schemas` without any there. */
  index: number;
  /** The value of the form `given`; for the form `schemas`, properties that replace those of the definition. */
  given: JsonValue;
}

/** The members of one schema in order. Reused for the next schema at the same depth. */
export class PublishedLevel {
  /** The first `count` elements are the members; the others are left over from an earlier schema. */
  readonly members: PublishedMember[] = [];
  count = 0;

  /** Appends a member with the value at the index in the definition's JSON. */
  add(name: string, form: 'plain' | 'schema' | 'schemas', index: number): void {
    this.append(name, form, index, null);
  }

  /** Replaces the member of that name with a given value, or appends it. */
  setGiven(name: string, value: JsonValue): void {
    this.set(name, 'given', -1, value);
  }

  /** Adds properties to those of the definition, of which they replace the ones with the same names. */
  addProperties(given: JsonObject): void {
    this.set('properties', 'schemas', this.find('properties')?.index ?? -1, given);
  }

  private find(name: string): PublishedMember | undefined {
    for (let position = 0; position < this.count; position += 1) {
      const member = this.members[position];
      if (member?.name === name) return member;
    }
    return undefined;
  }

  private append(name: string, form: PublishedMember['form'], index: number, given: JsonValue): void {
    const member = this.members[this.count];
    if (member === undefined) this.members.push({ name, form, index, given });
    else {
      member.name = name;
      member.form = form;
      member.index = index;
      member.given = given;
    }
    this.count += 1;
  }

  /** Replaces the member of that name, or appends it. */
  private set(name: string, form: PublishedMember['form'], index: number, given: JsonValue): void {
    const member = this.find(name);
    if (member === undefined) {
      this.append(name, form, index, given);
      return;
    }
    member.form = form;
    member.index = index;
    member.given = given;
  }
}
