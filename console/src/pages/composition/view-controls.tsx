import { SelectField, TextField } from '../../parts/field.tsx';
import { count } from '../../parts/format.ts';
import type { Category } from './hierarchy.ts';
import { type Order, orderNames } from './ordering.ts';
import type { View } from './view.ts';

/** The option value for all categories. Each category's value is its index. */
const allCategories = 'all';

export function ViewControls({
  view,
  categories,
  total,
  onChange,
}: {
  view: View;
  categories: readonly Category[];
  total: number;
  onChange: (view: View) => void;
}) {
  const chosen = categories.findIndex(({ name }) => name === view.category);
  return (
    <div className="view-controls">
      <TextField
        label="Find attributes"
        type="search"
        placeholder="Words in the name"
        value={view.search}
        onChange={({ currentTarget }) => onChange({ ...view, search: currentTarget.value })}
      />
      <SelectField
        label="Category"
        value={chosen === -1 ? allCategories : String(chosen)}
        onChange={({ currentTarget: { value } }) =>
          onChange({
            ...view,
            category: value === allCategories ? undefined : categories[Number(value)]!.name,
          })
        }
      >
        <option value={allCategories}>All categories ({count(total)})</option>
        {categories.map(({ name, attributes }, position) => (
          <option key={name ?? ''} value={position}>
            {name ?? 'No category'} ({count(attributes)})
          </option>
        ))}
      </SelectField>
      <SelectField
        label="Order"
        value={view.order}
        onChange={({ currentTarget }) =>
          onChange({ ...view, order: currentTarget.value as Order, sort: undefined })
        }
      >
        {Object.entries(orderNames).map(([order, name]) => (
          <option key={order} value={order}>
            {name}
          </option>
        ))}
      </SelectField>
      <label className="view-grouping">
        <input
          type="checkbox"
          checked={view.isGrouped}
          onChange={({ currentTarget }) => onChange({ ...view, isGrouped: currentTarget.checked })}
        />
        Group by category
      </label>
    </div>
  );
}
