import { readModels } from './models';

/** Declaration files in the form of @kubernetes/client-node. */
const PREAMBLE = `/**
 * Shop
 *
 * OpenAPI spec version: v1
 */
import { V1Price } from '../models/V1Price.js';
`;
const WARE = `${PREAMBLE}/**
* A thing that is sold.
*/
export declare class V1Ware {
    /**
    * What it \\'costs\\', \\"*_/month\\" and \\\\d+.
    */
    'price'?: V1Price;
    'silent'?: string;
    /**
    * Whether it continues.
    */
    '_continue': string;
    /**
    * Whether it is a list.
    */
    'x_shop_list_type'?: string;
    static readonly discriminator: string | undefined;
}
`;
const EVENT = `/**
* Something that happens in a shop.
*/
export declare class ShopV1Event {
}
`;

test('readModels reads the descriptions of classes and fields, and restores escaped texts and renamed fields', () => {
  expect(readModels([WARE, EVENT])).toEqual({
    V1Ware: {
      '': 'A thing that is sold.',
      price: `What it 'costs', "*/month" and \\d+.`,
      continue: 'Whether it continues.',
      'x-shop-list-type': 'Whether it is a list.',
    },
    ShopV1Event: { '': 'Something that happens in a shop.' },
  });
});
