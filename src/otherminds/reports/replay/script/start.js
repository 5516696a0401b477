// All parts are there: the first picture.

whole();
asAddressed();
