type ArrayField<Reply> = unknown extends Reply
  ? string
  : {
      [Name in keyof Reply & string]-?: NonNullable<Reply[Name]> extends readonly unknown[] ? Name : never;
    }[keyof Reply & string];

type ItemField<Reply> = unknown extends Reply
  ? string
  : {
      [Name in keyof Reply]-?: NonNullable<Reply[Name]> extends readonly (infer Item)[] ? keyof Item & string : never;
    }[keyof Reply];

type FieldName<Reply> = unknown extends Reply ? string : keyof Reply & string;

/** The fields of a list's reply that pagination reads, and the rule by which it continues. */
export type ListDefinition<Reply = unknown> = {
  /** The field of the reply that holds the items. */
  readonly items: ArrayField<Reply>;
  /** The field of an item that holds its ID. */
  readonly itemId: ItemField<Reply>;
  /** The reply's shape is not documented: the reader of replies searches for the items. */
  readonly undocumentedShape?: true;
} & (
  | {
      /** The query's `after` takes the reply's cursor. */
      readonly style: 'cursor';
      readonly next: FieldName<Reply>;
    }
  | {
      /** The query's `offset` counts items. */
      readonly style: 'offset';
      /** The field of the reply that contains the number of all items. */
      readonly total: FieldName<Reply>;
    }
  | {
      /** The query's `skip` counts items. */
      readonly style: 'skip';
      /** The field of the reply that holds `total`, `limit` and `hasMore`. */
      readonly pagination: FieldName<Reply>;
    }
  | {
      /** The query's `page` counts pages from 1. */
      readonly style: 'page';
    }
);
