import { useId } from 'react';

/** A word whose meaning is shown on hover and on keyboard focus. */
export function Term({ word, meaning }: { word: string; meaning: string }) {
  const meaningId = useId();
  return (
    <span className="term">
      <button
        type="button"
        className="term-word"
        aria-describedby={meaningId}
        onKeyDown={({ key, currentTarget }) => {
          if (key === 'Escape') currentTarget.blur();
        }}
      >
        {word}
      </button>
      <span role="tooltip" id={meaningId} className="term-meaning">
        {meaning}
      </span>
    </span>
  );
}
