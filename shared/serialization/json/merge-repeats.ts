/**
 * Parses a valid JSON text with repeated members as upstream's typed decoder does: a repeated object is merged into the
 * earlier one, a repeated list is merged item by item and has the length of the later one, any other value replaces the
 * earlier one. Does not validate.
 */
import { isObject, ownMember, setMember, type JsonArray, type JsonObject, type JsonValue } from '../../values/json';
import { JsonTokens, decodeStringToken } from './json-tokens';

/** Recursive: the caller limits the depth of the text. */
export function parseMergingRepeats(text: string): JsonValue {
  return new MergingReader(text).value(undefined);
}

const parseText: (text: string) => JsonValue = JSON.parse;

class MergingReader {
  private readonly tokens: JsonTokens;
  private token = '';

  constructor(text: string) {
    this.tokens = new JsonTokens(text);
    this.next();
  }

  private next(): void {
    this.token = this.tokens.next();
  }

  /** @param earlier the value of the same member or item so far */
  value(earlier: JsonValue | undefined): JsonValue {
    const { token } = this;
    this.next();
    if (token === '{') return this.members(isObject(earlier) ? earlier : {});
    if (token === '[') return this.items(Array.isArray(earlier) ? earlier : []);
    return parseText(token);
  }

  private members(target: JsonObject): JsonObject {
    while (this.token !== '}' && this.token !== '') {
      const member = decodeStringToken(this.token);
      this.next();
      this.next();
      setMember(target, member, this.value(ownMember(target, member)));
      if (this.token === ',') this.next();
    }
    this.next();
    return target;
  }

  private items(earlier: JsonArray): JsonArray {
    const items: JsonArray = [];
    while (this.token !== ']' && this.token !== '') {
      items.push(this.value(earlier[items.length]));
      if (this.token === ',') this.next();
    }
    this.next();
    return items;
  }
}
