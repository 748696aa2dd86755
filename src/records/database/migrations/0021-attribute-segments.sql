-- Reports read the segments of attributes, among those of all audiences and labels. Reads the table once.
create index segment_of_attribute on segment (segment_id) where kind = 'attribute';
