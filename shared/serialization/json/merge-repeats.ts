/**
 * Parses a valid JSON text with repeated members as upstream's typed decoder does: a repeated object is merged into the
 * earlier one, a repeated list is merged item by item and has the length of the later one, any other value replaces the
 * earlier one. Does not validate.
 */
import { isObject, ownMember, setMember, type JsonArray, type JsonObject, type JsonValue } from '../../values/json';
import { JsonTokens, decodeStringToken } from './json-tokens';

/** Recursive: the caller limits the depth of the text. */
export function parseMergingRepeats(text: string): JsonValue {
  return new MergingReader(text).readValue(undefined);
}

const parseText: (text: string) => JsonValue = JSON.parse;

/** A recursive descent parser with one token of lookahead. */
class MergingReader {
  private readonly tokens: JsonTokens;
  /** The next token; `''` at the end of the text. */
  private token = '';

  constructor(text: string) {
    this.tokens = new JsonTokens(text);
    this.advance();
  }

  private advance(): void {
    this.token = this.tokens.next();
  }

  /** @param earlier the value of the same member or item so far */
  readValue(earlier: JsonValue | undefined): JsonValue {
    const { token } = this;
    this.advance();
    if (token === '{') return this.readMembers(isObject(earlier) ? earlier : {});
    if (token === '[') return this.readItems(Array.isArray(earlier) ? earlier : []);
    return parseText(token);
  }

  private readMembers(target: JsonObject): JsonObject {
    while (this.token !== '}' && this.token !== '') {
      const member = decodeStringToken(this.token);
      this.advance();
      // The colon.
      this.advance();
      setMember(target, member, this.readValue(ownMember(target, member)));
      if (this.token === ',') this.advance();
    }
    this.advance();
    return target;
  }

  private readItems(earlier: JsonArray): JsonArray {
    const items: JsonArray = [];
    while (this.token !== ']' && this.token !== '') {
      items.push(this.readValue(earlier[items.length]));
      if (this.token === ',') this.advance();
    }
    this.advance();
    return items;
  }
}
