/**
 * The library of release 1.31: all functions and operators that are available to expressions. Each group is defined in a
 * file of this folder.
 */
import { AUTHORIZER_FUNCTIONS } from './authorizer';
import { COLLECTION_FUNCTIONS } from './collections';
import { CONVERSION_FUNCTIONS } from './conversions';
import { createLibrary, type Library } from './function';
import { NETWORK_FUNCTIONS } from './network';
import { OPERATOR_FUNCTIONS } from './operators';
import { QUANTITY_FUNCTIONS } from './quantities';
import { STRING_FUNCTIONS } from './strings';
import { TIME_FUNCTIONS } from './times';
import { URL_FUNCTIONS } from './urls';

export const LIBRARY: Library = createLibrary(
  OPERATOR_FUNCTIONS,
  CONVERSION_FUNCTIONS,
  STRING_FUNCTIONS,
  TIME_FUNCTIONS,
  COLLECTION_FUNCTIONS,
  NETWORK_FUNCTIONS,
  QUANTITY_FUNCTIONS,
  URL_FUNCTIONS,
  AUTHORIZER_FUNCTIONS,
);
