/** The encoder of an answer: of a kind, in a representation, as the client spells names. */
import { badRequest } from '../../../shared/api/errors/status';
import type { KindRow } from '../../../shared/api/kinds';
import type { Encoder } from '../representation/encoder';
import type { IncludeObject } from '../representation/table-encoder';
import type { Exchange } from '../request/exchange';
import type { Representation } from '../request/negotiation';
import type { Query } from '../request/query';
import type { ApiParts } from './api-parts';

/** Throws the 400 of a Table that is asked for with unknown contents. */
export function encoderOf({ encoders }: ApiParts, { dialect, info, query }: Exchange, row: KindRow, wanted: Representation): Encoder {
  const include = wanted.transform === 'table' ? includeObject(query) : 'Metadata';
  return encoders.for(row, wanted, { dialect, alias: info.kind === 'resource' ? info.alias : undefined }, include);
}

function includeObject(query: Query): IncludeObject {
  const text = query.get('includeObject') ?? '';
  switch (text) {
    case '':
    case 'Metadata':
      return 'Metadata';
    case 'Object':
    case 'None':
      return text;
    default:
      throw badRequest(
        `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(text)}: must be 'Metadata', 'Object', 'None', or empty`,
      );
  }
}
