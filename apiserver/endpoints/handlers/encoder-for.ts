/** The encoder of an answer: of a kind, in a representation, as the client spells names. */
import { badRequest } from '../../../shared/api/errors/status';
import type { KindRow } from '../../../shared/api/kinds';
import type { Encoder } from '../representation/encoder';
import type { EncoderForm } from '../representation/encoding-offload';
import type { IncludeObject } from '../representation/table-encoder';
import type { Exchange } from '../request/exchange';
import type { Representation } from '../request/negotiation';
import type { Query } from '../request/query';
import type { ApiParts } from './api-dependencies';

/** What an encoder is made for. Throws the 400 of a Table that is asked for with unknown contents. */
export function formOf({ dialect, alias, query }: Exchange, row: KindRow, wanted: Representation): EncoderForm {
  const include = wanted.transform === 'table' ? includeObject(query) : 'Metadata';
  return { row, wanted, names: { dialect, alias }, include };
}

export const encoderOf = ({ encoders }: ApiParts, exchange: Exchange, row: KindRow, wanted: Representation): Encoder =>
  encoders.of(formOf(exchange, row, wanted));

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
