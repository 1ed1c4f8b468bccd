import { readDescriptions } from './descriptions';

/** A declaration file in the form of cdk8s. */
const DECLARATIONS = `
/**
 * A thing that is sold.
 *
 * It has a price.
 *
 * @schema io.k8s.api.shop.v1.Ware
 */
export interface Ware {
    /**
     * What it costs.
     *
     * @default nothing.
     * @schema io.k8s.api.shop.v1.Ware#price
     */
    readonly price?: number;
    /**
     * @schema io.k8s.api.shop.v1.Ware#silent
     */
    readonly silent?: string;
}
/**
 * Elsewhere.
 *
 * @schema io.k8s.somewhere.Else
 */
`;

test('readDescriptions reads the descriptions of types and fields without the tags of the generator', () => {
  expect(readDescriptions(DECLARATIONS)).toEqual({
    'shop.v1.Ware': { '': 'A thing that is sold.\n\nIt has a price.', price: 'What it costs.' },
  });
});
